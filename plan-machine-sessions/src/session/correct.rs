//! Entries that a person adds to correct a session. No machine takes part in them.

use plan_machine::gate::{EventContext, limits};
use tokio::sync::MutexGuard;

use super::load::OpenSession;
use super::sessions::Session;
use super::transact::refuse_long_names;
use crate::error::SessionError;
use crate::journal::Entry;
use crate::observe;
use crate::store::{AppendOutcome, Commit};

impl Session {
    /// Checks the reason for a correction, and closes the session in this process. While the returned lock is held,
    /// this process does not handle any other event of the session. The session is reopened on its next use.
    pub(super) async fn close_to_correct(
        &self,
        why: &str,
        around: &EventContext,
    ) -> Result<MutexGuard<'_, Option<OpenSession>>, SessionError> {
        limits::text("the reason", why)?;
        refuse_long_names(around, &[])?;
        self.live.touch(self.shared.began);
        let mut place = self.live.lock().await;
        *place = None;
        Ok(place)
    }

    /// Stores the entry of a correction. Returns `false` if another process has written to the session in the meantime.
    pub(super) async fn store_correction(
        &self,
        entry: &Entry,
        commit: Commit,
        around: &EventContext,
    ) -> Result<bool, SessionError> {
        let (shared, live) = (&self.shared, &self.live);
        let last = commit.last();
        if shared.store.append(commit).await? != AppendOutcome::Stored {
            observe::conflict();
            return Ok(false);
        }
        live.acknowledge(last);
        let actor = around.actor.as_deref();
        let machines = shared.machine_set(&live.identity);
        let entries = std::slice::from_ref(entry);
        observe::told(&live.identity, actor, &machines, entries, &[]);
        Ok(true)
    }
}
