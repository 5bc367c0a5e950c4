//! Follows what other processes do to the sessions of a terminal, such as an approval on a web page.

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use plan_machine_sessions::watch::Watcher;
use plan_machine_sessions::{SessionError, SessionIdentity};

use crate::error::HostError;
use crate::host::Host;
use crate::outgoing::Outgoing;

/// How long to wait before using a store again after it has failed.
const PAUSE: Duration = Duration::from_millis(500);

/// The sessions of a host that have new entries, in the order in which the entries were stored.
pub(super) struct Followed<'b> {
    host: &'b Host,
    watcher: Watcher,
    changed: VecDeque<SessionIdentity>,
}

impl<'b> Followed<'b> {
    /// Follows the sessions of a host from now on.
    pub(super) async fn of(host: &'b Host) -> Result<Self, HostError> {
        let end = host.sessions().end().await?;
        Ok(Self {
            host,
            watcher: host.sessions().watch(end),
            changed: VecDeque::new(),
        })
    }

    /// Waits until a session of the host has a new entry. Nothing is lost if this is cancelled.
    pub(super) async fn next(&mut self) {
        loop {
            match self.watcher.next().await {
                Ok(seen) if self.host.chats.has(&seen.session) => {
                    if !self.changed.contains(&seen.session) {
                        self.changed.push_back(seen.session);
                    }
                    return;
                }
                // Other hosts may keep their sessions in the same store; a damaged session reports itself when it is
                // used.
                Ok(_) | Err(SessionError::Unreadable { .. }) => {}
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// Returns the work that follows from the new entries of a session, if there are any. If this host has stored them,
    /// nothing is left to do.
    pub(super) fn work(&mut self) -> Option<Pin<Box<dyn Future<Output = Vec<Outgoing>> + 'b>>> {
        let session = self.changed.pop_front()?;
        let host = self.host;
        Some(Box::pin(async move { host.catch_up(&session).await }))
    }
}
