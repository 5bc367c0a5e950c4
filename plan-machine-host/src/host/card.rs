//! Cards show plans to a person. A decision applies to exactly what the card showed.

use plan_machine::command::Pattern;
use plan_machine::description::{Description, EventKind, Transition};
use plan_machine::{Id, Token, short_token};
use plan_machine_sessions::SessionPlan;

use super::parts::Conversation;
use crate::error::HostError;
use crate::outgoing::{Card, Content};
use crate::words::state_in_words;

impl Conversation<'_> {
    /// Shows the card of a plan if the plan still has this token. Otherwise, the plan has changed or no longer exists,
    /// and the result is empty; a changed plan gets its own card.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn card(&self, plan: &Id, token: &str) -> Result<Vec<Content>, HostError> {
        let plans = self.session.plans().await?;
        let mut meant = plans
            .iter()
            .filter(|held| held.plan.id == *plan && is_same(token, &held.plan.token));
        Ok(meant
            .next()
            .map(|held| self.show(held))
            .into_iter()
            .collect())
    }

    /// Shows a plan on a card. A bare `/plan approve` refers to the plan that was shown last.
    #[must_use]
    pub fn show(&self, held: &SessionPlan) -> Content {
        let plan = &held.plan;
        self.desk(|desk| desk.shown.remember(plan.id.as_str(), &plan.token));
        let handler = self.mode().handler_of(held.machine);
        Content::Card(Card {
            plan: plan.id.to_string(),
            state: handler.map_or_else(
                || plan.state.to_string(),
                |handler| state_in_words(handler.tables(), &plan.state),
            ),
            body: handler
                .map(|handler| handler.body(held))
                .unwrap_or_default(),
            token: plan.token.clone(),
            expires: handler.and_then(|handler| plan.expires(handler.tables())),
            commands: handler.map_or_else(Vec::new, |handler| {
                let decisions = handler.decisions(held);
                if decisions.is_empty() {
                    return by_tables(handler.tables(), held);
                }
                decisions
            }),
        })
    }

    /// Shows a returning user the plans that are waiting for a decision, except those that are already being shown.
    pub(super) async fn show_waiting(&self, said: &mut Vec<Content>) -> Result<(), HostError> {
        let waiting = self.waiting_for_approval().await?;
        let new: Vec<&SessionPlan> = waiting.iter().filter(|held| !is_said(said, held)).collect();
        said.extend(new.into_iter().map(|held| self.show(held)));
        if waiting.len() > 1 {
            self.none_was_last();
        }
        Ok(())
    }

    /// Returns the plans that are waiting for a person's decision.
    pub(super) async fn waiting_for_approval(&self) -> Result<Vec<SessionPlan>, HostError> {
        self.decided_by(|_| true).await
    }

    /// Returns the waiting plans that the command in a line could decide on.
    pub(super) async fn waiting(&self, line: &str) -> Result<Vec<SessionPlan>, HostError> {
        let begins = |text: &str| Pattern::parse(text).is_ok_and(|text| text.begins(line) > 0);
        self.decided_by(begins).await
    }

    /// Returns the plans whose state handles one of these commands as a decision on a reviewed plan.
    async fn decided_by(
        &self,
        is_meant: impl Fn(&str) -> bool,
    ) -> Result<Vec<SessionPlan>, HostError> {
        let tables = self.mode().tables();
        let states: Vec<_> = tables.flat_map(|one| decided_in(one, &is_meant)).collect();
        let mut plans = self.session.plans().await?;
        plans.retain(|held| states.contains(&(held.machine, &*held.plan.state)));
        Ok(plans)
    }

    /// Records that several plans were shown together, so that none of them counts as the plan shown last.
    pub(super) fn none_was_last(&self) {
        self.desk(|desk| desk.shown.last = None);
    }
}

/// Returns whether a plan is on one of the cards that are already being shown.
pub(crate) fn is_said(said: &[Content], held: &SessionPlan) -> bool {
    let (plan, token) = (held.plan.id.as_str(), &held.plan.token);
    let same = |card: &Card| card.plan == plan && card.token == *token;
    said.iter()
        .any(|said| matches!(said, Content::Card(card) if same(card)))
}

/// Returns whether a requested token is the token of the current plan.
fn is_same(asked: &str, current: &str) -> bool {
    let tokens = (asked.parse::<Token>(), current.parse::<Token>());
    matches!(tokens, (Ok(asked), Ok(current)) if asked.fits(current))
}

/// Returns the states of a machine in which one of these commands decides on a reviewed plan.
fn decided_in(
    machine: &'static Description,
    is_meant: impl Fn(&str) -> bool,
) -> Vec<(&'static str, &'static str)> {
    let reviewed = reviewed(machine).filter(|(text, _)| is_meant(text));
    let states = reviewed.flat_map(|(_, transition)| transition.from);
    let named = states.map(|state| (machine.name, machine.state(*state).name));
    named.collect()
}

/// Returns the commands that decide on a reviewed plan, and their transitions.
fn reviewed(
    machine: &'static Description,
) -> impl Iterator<Item = (&'static str, &'static Transition)> {
    let transitions = machine.transitions.iter();
    transitions.filter_map(|one| match machine.event(one.event).kind {
        EventKind::Command {
            text,
            reviewed: true,
            ..
        } => Some((text, one)),
        _ => None,
    })
}

/// Returns the commands that decide on a plan, with its id and the token of the content that was shown.
fn by_tables(machine: &'static Description, held: &SessionPlan) -> Vec<String> {
    let state = machine.state_named(&held.plan.state);
    let here = |from: &[u16]| state.is_some_and(|state| from.contains(&state));
    let commands = reviewed(machine).filter(|(_, transition)| here(transition.from));
    let typed = commands.map(|(text, _)| {
        let words = text.split_whitespace().filter_map(|word| match word {
            "{token}" | "{token?}" => Some(short_token(&held.plan.token).to_string()),
            "{plan_id}" | "{plan_id?}" => Some(held.plan.id.to_string()),
            word => (!word.starts_with('{')).then(|| word.to_owned()),
        });
        words.collect::<Vec<_>>().join(" ")
    });
    typed.collect()
}
