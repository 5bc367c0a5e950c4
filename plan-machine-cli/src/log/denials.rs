//! The denied calls of a gated project that its journal does not contain: those of a closed gate, those that have no
//! call id, and those that were repeated.

use std::path::Path;

use plan_machine_agents::audit::{self, DeniedCall};
use plan_machine_agents::project::ProjectError;
use plan_machine_kernel::time::Instant;

/// Denied calls of a session, sorted by time.
#[derive(Debug, Default)]
pub(super) struct Denials(Vec<DeniedCall>);

impl Denials {
    /// Returns the denied calls of a session in the list of its project. Without a list, there are none.
    pub(super) fn read(list: Option<&Path>, session: &str) -> Result<Self, ProjectError> {
        let mut found = list.map(audit::read).transpose()?.unwrap_or_default();
        found.retain(|denied| denied.session == session);
        found.sort_by_key(|denied| denied.at);
        Ok(Self(found))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes the call that a stored answer or an entry shows.
    pub(super) fn remove(&mut self, at: Instant, actor: Option<&str>, tool: &str, reason: &str) {
        audit::remove_line(&mut self.0, at, actor, tool, reason);
    }

    /// Removes and returns the calls that were denied before an instant, or all calls.
    pub(super) fn take(&mut self, before: Option<Instant>) -> Vec<DeniedCall> {
        let end = before.map_or(self.0.len(), |before| {
            self.0.partition_point(|denied| denied.at < before)
        });
        self.0.drain(..end).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(second: u32, reason: &str) -> DeniedCall {
        DeniedCall {
            at: Instant::at_second(second),
            session: "codex:c1".to_owned(),
            actor: "codex".to_owned(),
            tool: "Bash".to_owned(),
            args: "{}".to_owned(),
            reason: reason.to_owned(),
        }
    }

    #[test]
    fn calls_are_taken_once_and_in_the_order_of_time() {
        let mut denials = Denials(vec![denied(1, "a"), denied(2, "b"), denied(3, "c")]);
        assert_eq!(denials.take(Some(Instant::at_second(2))), [denied(1, "a")]);
        assert_eq!(denials.take(None), [denied(2, "b"), denied(3, "c")]);
        assert!(denials.is_empty());
    }
}
