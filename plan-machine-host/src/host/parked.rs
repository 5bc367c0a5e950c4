//! Plans of other modes. The session keeps them unchanged until the conversation returns to their mode.

use super::parts::Conversation;
use crate::error::HostError;

impl Conversation<'_> {
    /// Says which other mode a plan belongs to, and how to change to that mode; returns `None` if no other mode has a
    /// plan with this id, regardless of case.
    pub(super) async fn explain_other_mode(
        &self,
        named: &str,
    ) -> Result<Option<String>, HostError> {
        let own = self.mode();
        let parked = self.session.parked().await?;
        for mode in self.host.modes.iter() {
            let machine = mode.plans();
            if machine.name == own.plans().name {
                continue;
            }
            let mut plans = parked.iter().filter(|held| held.machine == machine.name);
            let found = plans.find(|held| held.plan.id.as_str().eq_ignore_ascii_case(named));
            let id = match found {
                Some(held) => Some(held.plan.id.clone()),
                None => self
                    .ended_plan(machine, named)
                    .await?
                    .map(|held| held.plan.id),
            };
            if let Some(id) = id {
                return Ok(Some(format!(
                    "{id} is a plan of the mode {mode}, but this conversation is in {own}. `/mode {mode}` changes the mode."
                )));
            }
        }
        Ok(None)
    }
}
