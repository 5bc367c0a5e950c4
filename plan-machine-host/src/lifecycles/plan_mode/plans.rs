//! A session's plans, with the types that the spec generates.

use plan_machine::{Id, Record};
use plan_specs::plan_mode::Machine;
use plan_specs::plan_mode::types::Step;

use crate::error::HostError;
use crate::host::{Conversation, one_line};

/// The maximum number of characters of a model's text that the host quotes in a sentence.
pub(super) const QUOTED: usize = 200;

/// Returns a plan of a session by its id.
pub(super) async fn find(
    at: &Conversation<'_>,
    plan: &Id,
) -> Result<Option<Record<Machine>>, HostError> {
    let plans = at.session.plans_of::<Machine>().await?;
    Ok(plans.into_iter().find(|held| held.id == *plan))
}

/// Formats a step on one line.
pub(super) fn line(step: &Step) -> String {
    format!("{} {}", one_line(&step.tool), step.args)
}
