//! A session that is in the memory of this process.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;

use super::load::OpenSession;
use crate::identity::SessionIdentity;
use crate::store::Head;

/// A session in the memory of this process. In this process, only the holder of its lock may add entries to the
/// session.
#[derive(Debug)]
pub(super) struct LiveSession {
    pub(super) identity: SessionIdentity,
    /// The content of the session; `None` if it has to be read from the store: before the first use, after a request
    /// that failed or was cancelled, and after a correction, a deletion or a call to `reopen`.
    opened: Mutex<Option<OpenSession>>,
    /// The last entry that this process has acknowledged or relied on. It is kept when the content is dropped, so that
    /// the session is refused if its store has lost this entry.
    acknowledged: std::sync::Mutex<Head>,
    /// The time of the last use, in milliseconds since the `Sessions` value was created.
    used: AtomicU64,
}

impl LiveSession {
    pub(super) fn new(identity: SessionIdentity) -> Self {
        Self {
            identity,
            opened: Mutex::new(None),
            acknowledged: std::sync::Mutex::default(),
            used: AtomicU64::new(0),
        }
    }

    pub(super) async fn lock(&self) -> MutexGuard<'_, Option<OpenSession>> {
        self.opened.lock().await
    }

    /// Returns the last entry that this process has acknowledged; its number is 0 if there is no such entry.
    pub(super) fn acknowledged(&self) -> Head {
        *self.head()
    }

    /// Records the session's last entry, which the store is known to contain.
    pub(super) fn acknowledge(&self, head: Head) {
        *self.head() = head;
    }

    fn head(&self) -> std::sync::MutexGuard<'_, Head> {
        // No code panics while it holds this lock, so the data is consistent even if the lock is poisoned.
        let head = self.acknowledged.lock();
        head.unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that the session is being used now.
    pub(super) fn touch(&self, began: Instant) {
        self.used.store(millis(began.elapsed()), Ordering::Relaxed);
    }

    pub(super) fn is_idle(&self, began: Instant, limit: Duration) -> bool {
        let used = Duration::from_millis(self.used.load(Ordering::Relaxed));
        began.elapsed().saturating_sub(used) >= limit
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
