//! The sessions that another process has changed, until the terminal has caught up with them.

use std::collections::VecDeque;
use std::pin::Pin;

use plan_machine_sessions::SessionIdentity;

use crate::error::HostError;
use crate::host::{Changes, Host};
use crate::outgoing::Outgoing;

/// Sessions with new entries, in the order in which the entries were stored.
pub(super) struct Followed<'b> {
    host: &'b Host,
    changes: Changes,
    changed: VecDeque<SessionIdentity>,
}

impl<'b> Followed<'b> {
    /// Follows the sessions of a host from now on.
    pub(super) async fn of(host: &'b Host) -> Result<Self, HostError> {
        Ok(Self {
            host,
            changes: host.changes().await?,
            changed: VecDeque::new(),
        })
    }

    /// Waits until a session has a new entry. If this future is dropped before it is ready, no entry is lost.
    pub(super) async fn next(&mut self) {
        let session = self.changes.next(self.host).await;
        if !self.changed.contains(&session) {
            self.changed.push_back(session);
        }
    }

    /// Returns the work that follows from the new entries of a session, if there are any.
    pub(super) fn work(&mut self) -> Option<Pin<Box<dyn Future<Output = Vec<Outgoing>> + 'b>>> {
        let session = self.changed.pop_front()?;
        let host = self.host;
        Some(Box::pin(async move { host.catch_up(&session).await }))
    }
}
