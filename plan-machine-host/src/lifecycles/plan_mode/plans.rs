//! Plans of a session, as the spec types them.

use plan_machine::{Id, Record};
use plan_specs::plan_mode::Machine;
use plan_specs::plan_mode::types::Step;

use crate::error::HostError;
use crate::host::{Conversation, one_line};

/// How many characters of a model's words a sentence of the host has.
pub(super) const QUOTED: usize = 200;

/// A plan of a session by its id.
pub(super) async fn find(
    at: &Conversation<'_>,
    plan: &Id,
) -> Result<Option<Record<Machine>>, HostError> {
    let plans = at.session.plans_of::<Machine>().await?;
    Ok(plans.into_iter().find(|held| held.id == *plan))
}

/// A step on one line.
pub(super) fn line(step: &Step) -> String {
    format!("{} {}", one_line(&step.tool), step.args)
}
