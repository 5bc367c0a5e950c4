//! Wakes those who are waiting for new data.

use std::time::Duration;

use tokio::sync::watch;

/// Wakes those who are waiting for new data in a store.
#[derive(Clone, Debug)]
pub struct StoreChanges {
    changes: watch::Receiver<u64>,
    /// How often to check without being woken: for changes that this process cannot notice.
    look_every: Option<Duration>,
}

impl StoreChanges {
    /// Returns a handle that wakes when the number changes, and periodically if a store cannot notice all changes.
    #[must_use]
    pub fn new(changes: watch::Receiver<u64>, look_every: Option<Duration>) -> Self {
        Self {
            changes,
            look_every,
        }
    }

    /// Returns when there may be new data since the last call.
    pub async fn up(&mut self) {
        let changed = async {
            if self.changes.changed().await.is_err() {
                // The store is gone, so nothing more will come; the timer, if any, continues.
                std::future::pending::<()>().await;
            }
        };
        match self.look_every {
            None => changed.await,
            // A lagging receiver has missed a change.
            Some(every) => drop(tokio::time::timeout(every, changed).await),
        }
    }
}
