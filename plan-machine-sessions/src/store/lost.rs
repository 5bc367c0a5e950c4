//! Sessions that cannot be found by their names, although their entries are stored: the row with the name is missing,
//! or the name is damaged.
//!
//! Such a session must not start over as if it were new. The digest of its first entry covers its identity, so the
//! entry shows which session it belongs to.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::identity::SessionIdentity;
use crate::journal::{Chain, Digest};

/// The first entry of a session that cannot be found by its name.
#[derive(Clone, Debug)]
pub(super) struct LostEntry {
    /// The number of the session in the store.
    pub(super) id: i64,
    /// The text of the entry.
    pub(super) body: String,
    /// The digest of the entry.
    pub(super) digest: Digest,
}

impl LostEntry {
    /// Returns whether this is the first entry of the session with this identity.
    pub(super) fn is_of(&self, session: &SessionIdentity) -> bool {
        Chain::start(session).then(&self.body).digest() == self.digest
    }
}

/// Returns the number that a session has in the store if it cannot be found by its name; `None` if the session is new.
pub(super) fn id_among(lost: &[LostEntry], session: &SessionIdentity) -> Option<i64> {
    lost.iter()
        .find(|entry| entry.is_of(session))
        .map(|entry| entry.id)
}

/// The lost sessions of a store, as they were last read. Reading them requires checking every session. Therefore, they
/// are read only when a session is not found by its name, and only if they have not been read before or the session may
/// be one of them. They are also read again after a repair, and after a session has disappeared while it was in use.
#[derive(Debug, Default)]
pub(super) struct LostSessions(Mutex<Option<Vec<LostEntry>>>);

impl LostSessions {
    /// Returns whether the session may be lost; `None` if the lost sessions have not been read yet.
    pub(super) fn may_be(&self, session: &SessionIdentity) -> Option<bool> {
        let lost = self.locked();
        let lost = lost.as_ref()?;
        Some(id_among(lost, session).is_some())
    }

    /// Remembers the lost sessions that were found.
    pub(super) fn remember(&self, found: Vec<LostEntry>) {
        *self.locked() = Some(found);
    }

    /// Forgets the lost sessions, so that they are read again.
    pub(super) fn forget(&self) {
        *self.locked() = None;
    }

    fn locked(&self) -> MutexGuard<'_, Option<Vec<LostEntry>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Describes the damage to a session whose entries are stored, but which cannot be found by its name.
pub(super) fn without_name(session: &SessionIdentity) -> String {
    format!(
        "the store contains entries of the session {session}, but not the row with its name: the row is missing or damaged"
    )
}
