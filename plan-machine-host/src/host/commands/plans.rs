//! `/plan show`: the current plans, or one plan, on their cards.

use plan_machine_sessions::SessionPlan;

use super::super::parts::Conversation;
use super::super::work::is_over;
use super::answers::LONGEST;
use crate::error::HostError;
use crate::outgoing::Content;
use crate::words::{in_a_line, unquoted};

impl Conversation<'_> {
    /// Answers `/plan show [PLAN]`; `rest` is the line without `/plan`.
    pub(super) async fn show_command(&self, rest: &str) -> Result<Vec<Content>, HostError> {
        let mut words = rest.split_whitespace().skip(1);
        let named = words.next().map(unquoted);
        if words.next().is_some() {
            return Ok(vec![self.refuse_more(rest, "at most one plan")]);
        }
        self.show_plans(named).await
    }

    /// Refuses a subcommand of `/plan` that is followed by more than the id of a plan; `rest` is the line without
    /// `/plan`.
    pub(in super::super) fn refuse_more(&self, rest: &str, expected: &str) -> Content {
        let (second, found) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let found = in_a_line(found, LONGEST);
        let other = self.mode().otherwise(rest);
        let other = other.map_or_else(String::new, |other| format!(". {other}"));
        Content::Error(format!(
            "`/plan {second}` takes {expected}, found `{found}`{other}"
        ))
    }

    /// Shows the named plan, even if it has ended, or all plans of the mode that have not ended.
    async fn show_plans(&self, named: Option<&str>) -> Result<Vec<Content>, HostError> {
        let machine = self.mode().plans();
        let mut plans = self.session.plans().await?;
        plans.retain(|held| match named {
            Some(named) => held.plan.id.as_str().eq_ignore_ascii_case(named),
            None => held.machine == machine.name && !is_over(machine, held),
        });
        if let (Some(named), true) = (named, plans.is_empty()) {
            plans.extend(self.ended_plan(machine, named).await?);
        }
        if let (Some(named), true) = (named, plans.is_empty())
            && let Some(told) = self.explain_other_mode(named).await?
        {
            return Ok(vec![Content::Error(told)]);
        }
        let damaged = self.report_damaged().await?;
        if plans.is_empty() && !damaged.is_empty() {
            return Ok(damaged);
        }
        if let (Some(named), Some(held)) = (named, plans.first())
            && held.plan.id != named
        {
            let (named, id) = (in_a_line(named, LONGEST), &held.plan.id);
            return Ok(vec![Content::Error(format!(
                "there is no plan `{named}`; did you mean `/plan show {id}`?"
            ))]);
        }
        if plans.is_empty() {
            return self.no_plan(named).await;
        }
        let cards = self.cards(&plans).await?;
        Ok(damaged.into_iter().chain(cards).collect())
    }

    /// Says that there is no such plan, how to start a plan, and which plans have ended.
    async fn no_plan(&self, named: Option<&str>) -> Result<Vec<Content>, HostError> {
        let what = named.map_or("open plan".to_owned(), |named| {
            format!("plan `{}`", in_a_line(named, LONGEST))
        });
        let starts = self.mode().plans().starting_command();
        let starts = starts.filter(|_| named.is_none());
        let starts = starts.map_or(String::new(), |starts| format!(" `{starts}` starts one."));
        let mut said = vec![Content::Notice(format!("There is no {what}.{starts}"))];
        said.extend(self.list_ended().await?);
        Ok(said)
    }

    /// Returns the cards of plans. Only the card of a plan that is waiting for a decision has commands; a plan without
    /// content that is not waiting gets a notice instead of a card.
    async fn cards(&self, plans: &[SessionPlan]) -> Result<Vec<Content>, HostError> {
        let machine = self.mode().plans();
        let waiting = self.waiting_for_approval().await?;
        let cards = plans.iter().map(|held| {
            let waits = waiting.iter().any(|other| other.plan.id == held.plan.id);
            match self.show(held) {
                Content::Card(card) if !waits && card.body.is_empty() => {
                    let yet = if is_over(machine, held) { "" } else { " yet" };
                    let (plan, state) = (&card.plan, &card.state);
                    Content::Notice(format!("{plan} has no content{yet}; its state is {state}."))
                }
                Content::Card(mut card) if !waits => {
                    card.commands.clear();
                    Content::Card(card)
                }
                card => card,
            }
        });
        let cards: Vec<Content> = cards.collect();
        if waiting.len() > 1 && cards.len() > 1 {
            self.none_was_last();
        }
        Ok(cards)
    }
}
