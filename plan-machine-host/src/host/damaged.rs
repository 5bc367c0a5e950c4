//! Stored plans that do not match their machines, and sessions that cannot be read: how they are reported and ended.

use plan_machine::gate::DamagedPlan;
use plan_machine_sessions::store::StoreErrorKind;
use plan_machine_sessions::{Session, SessionError};

use super::mode::{END, END_WORDS};
use super::parts::Conversation;
use crate::error::HostError;
use crate::history::History;
use crate::outgoing::Content;
use crate::words::unquoted;

impl Conversation<'_> {
    /// Reports the damaged plans of a session, and what a person can do about each of them.
    pub(super) async fn report_damaged(&self) -> Result<Vec<Content>, HostError> {
        let told = self.session.at_gate(|gate| {
            let damaged = gate.damaged().iter();
            let told = damaged.map(|damaged| Content::Error(gate.explain(damaged)));
            told.collect()
        });
        Ok(told.await?)
    }

    /// Adds the damaged plans to the answers to a line, if the line asks about plans or failed: the line may have been
    /// meant for a damaged plan.
    pub(super) async fn add_damaged(
        &self,
        line: &str,
        answers: &mut Vec<Content>,
    ) -> Result<(), HostError> {
        if answers.iter().any(tells_damage) {
            return Ok(());
        }
        let failed = answers.iter().any(|one| matches!(one, Content::Error(_)));
        let plans = self.mode().plans().name;
        let asked = self.mode().asked_about(line).map(|machine| machine.name);
        let told = self.session.at_gate(|gate| {
            let is_meant = |machine: &str| failed || asked == Some(plans) || asked == Some(machine);
            let damaged = gate.damaged().iter();
            let meant = damaged.filter(|damaged| is_meant(damaged.machine));
            meant
                .map(|damaged| Content::Error(gate.explain(damaged)))
                .collect::<Vec<Content>>()
        });
        answers.extend(told.await?);
        Ok(())
    }

    /// Explains how to restart a session that cannot be read; returns `None` if the session is
    /// readable.
    pub(super) async fn explain_unreadable(&self) -> Option<Content> {
        why_unreadable(&self.session).await?;
        Some(Content::Notice(
            "`/reset` ends the plans of this conversation and starts the conversation over. The journal is kept. If the \
             store is too damaged to be changed, `/reset` changes nothing and says how to copy what can be read."
                .to_owned(),
        ))
    }

    /// Restarts a session that cannot be read, including its plans and its conversation; returns
    /// `None` if the session is readable.
    pub(super) async fn start_over(&self) -> Option<Result<Vec<Content>, HostError>> {
        let why = why_unreadable(&self.session).await?;
        Some(self.restart(&why).await)
    }

    async fn restart(&self, why: &str) -> Result<Vec<Content>, HostError> {
        let seq = self
            .session
            .restart(why, &self.context("user", None))
            .await?;
        // The session no longer has these plans, so no work on them may continue.
        for handler in self.host.modes.all_handlers() {
            handler.restarted(self.session.identity());
        }
        self.stop_given_up().await?;
        let kept = match seq - 1 {
            1 => "the earlier entry is kept".to_owned(),
            before => format!("the {before} earlier entries are kept"),
        };
        let mut said = vec![Content::Notice(format!(
            "Ended the plans of this conversation, because the conversation could not be read ({why}). Entry {seq} of the journal records this; {kept}."
        ))];
        match self.mode().handler().reset(self) {
            Some(reset) => said.extend(reset.await?),
            None => self.begin_history_anew()?,
        }
        Ok(said)
    }

    /// Starts the history of the conversation over.
    pub(super) fn begin_history_anew(&self) -> Result<(), HostError> {
        let history = self.session.identity().to_string();
        History::begin_anew(&self.host.history_file(&history))
    }

    /// Ends the damaged plan that `/plan end PLAN` names; `rest` is the line without `/plan`.
    pub(super) async fn end_damaged(&self, rest: &str) -> Result<Vec<Content>, HostError> {
        let mut words = rest.split_whitespace().skip(1);
        let named = unquoted(words.next().unwrap_or_default());
        let has_more = words.next().is_some();
        let damaged = self.session.damaged().await?;
        let is_here = damaged.iter().any(|one| one.plan.id == named);
        if !is_here && let Some(told) = self.explain_other_mode(named).await? {
            return Ok(vec![Content::Error(told)]);
        }
        if damaged.is_empty() {
            let other = self.mode().otherwise(rest).filter(|_| has_more);
            let other = other.map_or_else(String::new, |other| format!(". {other}"));
            return Ok(vec![Content::Error(format!(
                "`/plan end` ends a damaged plan, but no plan is damaged; `/plan cancel` cancels a plan{other}"
            ))]);
        }
        if has_more {
            return Ok(vec![self.refuse_more(rest, "one plan")]);
        }
        self.end_one(&damaged, named).await
    }

    async fn end_one(
        &self,
        damaged: &[DamagedPlan],
        named: &str,
    ) -> Result<Vec<Content>, HostError> {
        let Some(meant) = damaged.iter().find(|one| one.plan.id == named) else {
            let ends = damaged
                .iter()
                .map(|one| format!("`{}`", END.replace("{plan}", one.plan.id.as_str())));
            let ends = ends.collect::<Vec<_>>().join(" or ");
            return Ok(vec![Content::Error(format!(
                "`/plan end` needs the id of a damaged plan: type {ends}"
            ))]);
        };
        let (why, context) = (meant.problems.join("; "), self.context("user", None));
        let ended = self.session.abandon(meant.machine, named, &why, &context);
        ended.await?;
        let machine = meant.machine;
        Ok(vec![Content::Notice(format!(
            "Ended the damaged plan {named} of {machine}. The plan is kept unchanged in the journal."
        ))])
    }
}

/// Returns whether content reports a damaged plan.
pub(super) fn tells_damage(said: &Content) -> bool {
    matches!(said, Content::Error(text) if text.contains(END_WORDS))
}

/// Returns why a session cannot be read.
async fn why_unreadable(session: &Session) -> Option<String> {
    let read = session.plans().await.map(drop);
    let read = match read {
        Ok(()) => session.effects().await.map(drop),
        Err(error) => Err(error),
    };
    match read {
        Err(SessionError::Unreadable { why, .. }) => Some(why.to_string()),
        // If a page of the store is damaged, entries and effects cannot be read, just as with a damaged entry.
        Err(SessionError::Store(error)) if error.kind == StoreErrorKind::Damaged => {
            Some(error.to_string())
        }
        _ => None,
    }
}
