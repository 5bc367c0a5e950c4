//! Opens a session, and refuses it if entries that this process has already relied on are missing.
//!
//! A store can revert to an earlier state if it is replaced with an older copy, or if a part of it is cut off. Such a
//! store looks valid: only a process that has used its later entries can notice that they are missing.

use super::load::{OpenSession, load};
use super::sessions::Session;
use crate::error::{SessionError, UnreadableReason};
use crate::store::Head;

impl Session {
    /// Reads the session from the store.
    pub(super) async fn open(&self) -> Result<OpenSession, SessionError> {
        let (shared, identity) = (&self.shared, &self.live.identity);
        let machines = shared.machine_set(identity);
        let opened = load(&*shared.store, identity, &machines).await?;
        self.refuse_behind(opened.head()).await?;
        Ok(opened)
    }

    /// Refuses a stored session that does not contain the last entry that this process has acknowledged: its entries
    /// end before that entry, or a different entry has the same number.
    pub(super) async fn refuse_behind(&self, found: Head) -> Result<(), SessionError> {
        let known = self.live.acknowledged();
        let is_there = if found.seq > known.seq && known.seq > 0 {
            let store = &self.shared.store;
            let rows = store.history(&self.live.identity, known.seq - 1, 1).await?;
            // If the entry itself no longer exists, the session could only be read because a person restarted it.
            let rows = rows.iter().filter(|row| row.seq == known.seq);
            rows.map(|row| row.digest)
                .all(|digest| Some(digest) == known.digest)
        } else {
            found.seq > known.seq || found == known
        };
        if is_there {
            return Ok(());
        }
        Err(self.unreadable(UnreadableReason::Behind {
            acknowledged: known.seq,
            found: found.seq,
        }))
    }
}
