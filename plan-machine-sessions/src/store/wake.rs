//! Wakes tasks that are waiting for new data in a store.

use std::time::Duration;

use tokio::sync::watch;

/// A handle with which a task waits for new data in a store.
#[derive(Clone, Debug)]
pub struct StoreChanges {
    changes: watch::Receiver<u64>,
    /// How often the task wakes up without a notification, to check for changes that this process does not notice;
    /// `None` if this process notices all changes.
    look_every: Option<Duration>,
}

impl StoreChanges {
    /// Returns a handle that wakes its task whenever the number in `changes` changes. If the store cannot notice all
    /// changes, the handle also wakes the task at the interval `look_every`.
    #[must_use]
    pub fn new(changes: watch::Receiver<u64>, look_every: Option<Duration>) -> Self {
        Self {
            changes,
            look_every,
        }
    }

    /// Waits until there may be new data since the last call.
    pub async fn up(&mut self) {
        match self.look_every {
            None => self.notified().await,
            // Whether the wait timed out does not matter: in either case, there may be new data.
            Some(every) => drop(tokio::time::timeout(every, self.notified()).await),
        }
    }

    /// Waits until the store is notified of new data. If other processes store the data, this may wait forever.
    #[doc(hidden)]
    pub async fn notified(&mut self) {
        if self.changes.changed().await.is_err() {
            // The store has been dropped, so there will be no more notifications.
            std::future::pending::<()>().await;
        }
    }
}
