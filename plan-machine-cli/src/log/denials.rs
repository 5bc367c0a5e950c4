//! The denied calls of a gated project that its journal does not contain: those of a closed gate, those that have no
//! call id, and those that were repeated.

use std::path::Path;
use std::time::Duration;

use plan_machine_agents::audit::{self, DeniedCall};
use plan_machine_agents::project::ProjectError;
use plan_machine_kernel::time::Instant;

/// The maximum time between the event of a denied call and its line in the list. A hook ends after thirty seconds.
const LATEST: Duration = Duration::from_secs(60);

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

    /// Removes the call that a stored answer or an entry shows. The list has no call ids, so this is the first call
    /// that was listed shortly after the event, with the same sender, tool and reason. At most one call is removed, so
    /// that a repeated call is still shown.
    pub(super) fn remove(&mut self, at: Instant, actor: Option<&str>, tool: &str, reason: &str) {
        let first = self.0.partition_point(|denied| denied.at < at);
        let latest = at.since_1970() + LATEST;
        let is_shown = |denied: &DeniedCall| {
            Some(denied.actor.as_str()) == actor
                && is_listed_as(&denied.tool, tool)
                && is_listed_as(&denied.reason, reason)
        };
        let mut near = self.0[first..]
            .iter()
            .take_while(|denied| denied.at.since_1970() <= latest);
        if let Some(shown) = near.position(is_shown) {
            self.0.remove(first + shown);
        }
    }

    /// Removes and returns the calls that were denied before an instant, or all calls.
    pub(super) fn take(&mut self, before: Option<Instant>) -> Vec<DeniedCall> {
        let end = before.map_or(self.0.len(), |before| {
            self.0.partition_point(|denied| denied.at < before)
        });
        self.0.drain(..end).collect()
    }
}

/// Returns whether a text of the list stands for this text. The list shortens long texts.
fn is_listed_as(listed: &str, text: &str) -> bool {
    let start = listed.strip_suffix('…');
    listed == text || start.is_some_and(|start| text.starts_with(start))
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
    fn an_answer_removes_the_first_call_that_was_listed_shortly_after_it() {
        let all = [
            denied(9, "no"),
            denied(10, "closed"),
            denied(11, "no"),
            denied(12, "no"),
            denied(200, "no, be…"),
        ];
        let left = |at: u32, actor: &str, tool: &str, reason: &str| {
            let mut denials = Denials(all.to_vec());
            denials.remove(Instant::at_second(at), Some(actor), tool, reason);
            let left = denials.take(None).into_iter();
            left.map(|denied| denied.at.since_1970().as_secs())
                .collect::<Vec<u64>>()
        };
        assert_eq!(left(10, "codex", "Bash", "no"), [9, 10, 12, 200]);
        assert_eq!(left(180, "codex", "Bash", "no, because"), [9, 10, 11, 12]);
        for (at, actor, tool, reason) in [
            (10, "codex/a1", "Bash", "no"),
            (10, "codex", "Read", "no"),
            (10, "codex", "Bash", "yes"),
            (13, "codex", "Bash", "no"),
            (100, "codex", "Bash", "no, because"),
        ] {
            assert_eq!(left(at, actor, tool, reason), [9, 10, 11, 12, 200]);
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
