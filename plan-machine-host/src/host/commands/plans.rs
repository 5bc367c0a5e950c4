//! `/plan show`: the current plans, on their cards.

use super::super::parts::Conversation;
use super::super::work::is_over;
use super::answers::in_lowercase;
use crate::error::HostError;
use crate::outgoing::Content;

impl Conversation<'_> {
    /// Shows the named plan, or all plans of the mode that have not ended.
    pub(super) async fn show_plans(&self, named: Option<&str>) -> Result<Vec<Content>, HostError> {
        let machine = self.mode().plans();
        let mut plans = self.session.plans().await?;
        plans.retain(|held| match named {
            Some(named) => held.plan.id == named,
            None => held.machine == machine.name && !is_over(machine, held),
        });
        let damaged = self.report_damaged().await?;
        if plans.is_empty() && !damaged.is_empty() {
            return Ok(damaged);
        }
        if plans.is_empty() {
            let what = named.map_or("open plan".to_owned(), |named| format!("plan `{named}`"));
            let starts = machine.starting_command();
            let starts = starts.map_or(String::new(), |starts| format!(" `{starts}` starts one."));
            return Ok(vec![Content::Notice(format!(
                "There is no {what}.{starts}"
            ))]);
        }
        let waiting = self.waiting_for_approval().await?;
        let cards = plans.iter().map(|held| {
            let waits = waiting.iter().any(|other| other.plan.id == held.plan.id);
            match self.show(held) {
                Content::Card(card) if !waits && card.body.is_empty() => {
                    let state = machine.state_named(&card.state);
                    let state = state.map_or(&*card.state, |state| machine.shown_state(state));
                    let (plan, state) = (&card.plan, in_lowercase(state));
                    Content::Notice(format!("{plan} has no content yet; its state is {state}."))
                }
                Content::Card(mut card) if !waits => {
                    card.commands.clear();
                    Content::Card(card)
                }
                card => card,
            }
        });
        let cards: Vec<Content> = damaged.into_iter().chain(cards).collect();
        if waiting.len() > 1 && cards.len() > 1 {
            self.none_was_last();
        }
        Ok(cards)
    }
}
