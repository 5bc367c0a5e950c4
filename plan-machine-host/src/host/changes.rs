//! Follows the changes that other processes make to the sessions of a host, such as an approval on a web page.

use std::time::Duration;

use plan_machine_sessions::watch::Watcher;
use plan_machine_sessions::{SessionError, SessionIdentity};

use super::parts::Host;
use crate::error::HostError;

/// How long to wait before using a store again after it has failed.
const PAUSE: Duration = Duration::from_millis(500);

/// The changes of a host's sessions, in the order in which their entries were stored.
pub struct Changes {
    watcher: Watcher,
}

impl Host {
    /// Follows the sessions of this host from now on. Call [`catch_up`](Self::catch_up) after each change; it does
    /// nothing if this host has made the change itself.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn changes(&self) -> Result<Changes, HostError> {
        let end = self.sessions.end().await?;
        let watcher = self.sessions.watch(end);
        Ok(Changes { watcher })
    }
}

impl Changes {
    /// Waits until a session of the host has a new entry, and returns the session. If this future is dropped before it
    /// is ready, no entry is lost. If the store fails, the future waits until the store works again.
    pub async fn next(&mut self, host: &Host) -> SessionIdentity {
        loop {
            match self.watcher.next().await {
                Ok(seen) if host.chats.has(&seen.session) => return seen.session,
                // Other hosts may keep their sessions in the same store; a damaged session is reported when it is used.
                Ok(_) | Err(SessionError::Unreadable { .. }) => {}
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }
}
