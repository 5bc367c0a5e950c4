//! Plans that have ended. A machine with one slot no longer has them, but the journal of the session does.

use plan_machine::description::Description;
use plan_machine::machine::PlanView;
use plan_machine_sessions::journal::{Entry, EntryKind};
use plan_machine_sessions::{SessionError, SessionPlan};

use super::parts::Conversation;
use super::work::is_over;
use crate::error::HostError;
use crate::outgoing::Content;
use crate::words::state_in_words;

/// The maximum number of ended plans in a list.
const LISTED: usize = 10;

/// The maximum number of entries that are searched for plans to list. For a plan that is named, all entries are
/// searched.
const SEARCHED: u64 = 4096;

/// The number of entries read at a time.
const PAGE: u32 = 256;

impl Conversation<'_> {
    /// Returns the ended plan whose id a person has typed, regardless of case. Only plans of this machine are searched.
    pub(super) async fn ended_plan(
        &self,
        machine: &'static Description,
        named: &str,
    ) -> Result<Option<SessionPlan>, HostError> {
        let is_named = |plan: &PlanView| plan.id.as_str().eq_ignore_ascii_case(named);
        Ok(self.ended(machine, is_named, 1, u64::MAX).await?.pop())
    }

    /// Lists the ended plans if a line asks about the plans of this mode and there is no other plan to show.
    pub(super) async fn ended_instead(&self, line: &str) -> Result<Option<Content>, HostError> {
        let machine = self.mode().plans();
        let asked = self.mode().asked_about(line);
        if asked.is_none_or(|asked| asked.name != machine.name) {
            return Ok(None);
        }
        let plans = self.session.plans().await?;
        let mut own = plans.iter().filter(|held| held.machine == machine.name);
        // The answer is about the plan in the slot, even if that plan has ended.
        if own.any(|held| !machine.is_many() || !is_over(machine, held)) {
            return Ok(None);
        }
        self.list_ended().await
    }

    /// Lists the last plans of this mode that have ended, and names the command that shows them.
    pub(super) async fn list_ended(&self) -> Result<Option<Content>, HostError> {
        let machine = self.mode().plans();
        let ended = self.ended(machine, |_| true, LISTED, SEARCHED).await?;
        let with_state = |held: &SessionPlan| {
            let state = state_in_words(machine, &held.plan.state);
            format!("{} ({state})", held.plan.id)
        };
        Ok(match &ended[..] {
            [] => None,
            [one] => Some(format!(
                "{} has ended; `/plan show {}` shows it.",
                with_state(one),
                one.plan.id
            )),
            _ => {
                let names: Vec<String> = ended.iter().map(with_state).collect();
                let last = if ended.len() == LISTED { "last " } else { "" };
                Some(format!(
                    "The {last}plans that have ended: {}. `/plan show PLAN` shows one of them.",
                    names.join(", ")
                ))
            }
        }
        .map(Content::Notice))
    }

    /// Returns at most `most` ended plans of a machine, the most recent one first.
    async fn ended(
        &self,
        machine: &'static Description,
        is_wanted: impl Fn(&PlanView) -> bool,
        most: usize,
        searched: u64,
    ) -> Result<Vec<SessionPlan>, HostError> {
        let mut found = self.session.plans().await?;
        found.retain(|held| held.machine == machine.name && is_over(machine, held));
        found.retain(|held| is_wanted(&held.plan));
        found.reverse();
        let mut before = self.session.seq().await?;
        let first = before.saturating_sub(searched);
        // A machine that keeps all of its plans has returned them already.
        while found.len() < most && before > first && !machine.is_many() {
            let after = before.saturating_sub(u64::from(PAGE)).max(first);
            let page = match self.session.history(after, PAGE).await {
                Ok(page) => page,
                // Unreadable entries remain in the journal after a person has restarted the session because of them.
                Err(SessionError::Unreadable { .. }) => break,
                Err(error) => return Err(error.into()),
            };
            for entry in page.iter().rev().filter(|entry| entry.seq <= before) {
                if let EntryKind::Restarted { .. } = entry.kind {
                    before = first;
                    break;
                }
                let ended = ended_in(entry, machine.name).filter(|plan| is_wanted(plan));
                found.extend(ended.map(|plan| SessionPlan {
                    machine: machine.name,
                    plan: plan.clone(),
                }));
            }
            before = before.min(after);
        }
        found.truncate(most);
        Ok(found)
    }
}

/// Returns the plan that ended with a journal entry, if it is a plan of this machine. A plan that was ended because it
/// was damaged cannot be shown.
fn ended_in<'e>(entry: &'e Entry, machine: &str) -> Option<&'e PlanView> {
    let is_its = entry.kind == EntryKind::Taken && entry.step.machine == machine;
    entry.step.acceptance.ended.as_ref().filter(|_| is_its)
}
