//! A session's plans, with the types of their machine.

use plan_machine::{Id, Lifecycle, Record};

use crate::error::HostError;
use crate::host::Conversation;

/// Returns a plan of a session by its id.
pub(super) async fn find<M: Lifecycle>(
    at: &Conversation<'_>,
    plan: &Id,
) -> Result<Option<Record<M>>, HostError> {
    let plans = at.session.plans_of::<M>().await?;
    Ok(plans.into_iter().find(|held| held.id == *plan))
}
