//! A session's plans, with the types that the spec generates.

use plan_machine::{Id, Record};
use plan_specs::plan_builder::types::Step;
use plan_specs::plan_builder::{Event, Machine, State, event};

use crate::error::HostError;
use crate::host::{Conversation, SignalAnswer, one_line};

/// Returns a session's plans that are in a given state.
pub(super) async fn plans_in(
    at: &Conversation<'_>,
    state: State,
) -> Result<Vec<Record<Machine>>, HostError> {
    let mut plans = at.session.plans_of::<Machine>().await?;
    plans.retain(|plan| plan.state == state);
    Ok(plans)
}

/// Formats a step on one line.
pub(super) fn line(step: &Step) -> String {
    format!("{}: {}", step.agent.as_str(), one_line(&step.task))
}

/// Stops a plan.
pub(super) async fn stop(
    at: &Conversation<'_>,
    plan: &Id,
    reason: Option<&str>,
) -> Result<SignalAnswer, HostError> {
    let restarted = Event::Restarted(event::Restarted {
        reason: reason.map(str::to_owned),
    });
    at.signal::<Machine>(plan, restarted).await
}

/// Claims a step, so that no other task or host carries out the step.
pub(super) async fn claim(
    at: &Conversation<'_>,
    plan: &Id,
    step: usize,
) -> Result<SignalAnswer, HostError> {
    // The maximum length of a list is far below the largest integer, so the fallback is never used.
    let step = i64::try_from(step).unwrap_or(i64::MAX);
    let claimed = Event::StepClaimed(event::StepClaimed { step });
    at.signal::<Machine>(plan, claimed).await
}
