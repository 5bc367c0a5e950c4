//! A signal that stops work before it is done.

use tokio::sync::watch;

/// A signal that stops work. Every holder of a clone can send the signal, and the work can wait for it.
#[derive(Clone, Debug)]
pub struct Stop(watch::Sender<bool>);

impl Default for Stop {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl Stop {
    /// Stops the work. A second call does nothing.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Returns whether the work was stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the work is stopped.
    pub async fn stopped(&self) {
        // The sender is alive, so the channel is open.
        let _ = self.0.subscribe().wait_for(|stopped| *stopped).await;
    }

    /// Returns whether both signals stop the same work.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.same_channel(&other.0)
    }
}
