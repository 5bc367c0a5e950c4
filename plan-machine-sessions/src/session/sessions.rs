//! The sessions of a host. There can be any number of them; only those in use are in memory.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use super::live::LiveSession;
use crate::error::SessionError;
use crate::identity::SessionIdentity;
use crate::store::{Head, ListedSession, Store};
use plan_machine::gate::{MachineSet, Owner};

/// How long a session must be idle before it is removed from memory automatically.
const IDLE: Duration = Duration::from_secs(300);

/// The sessions of a host.
///
/// Sessions need a Tokio runtime with timers (`enable_time` or `enable_all` if you build the runtime yourself),
/// because a task removes idle sessions from memory at regular intervals.
#[derive(Clone)]
pub struct Sessions(Arc<Shared>);

pub(super) struct Shared {
    pub(super) store: Arc<dyn Store>,
    choose: Box<dyn Fn(&SessionIdentity) -> MachineSet + Send + Sync>,
    live: Mutex<HashMap<SessionIdentity, Arc<LiveSession>>>,
    idle: Duration,
    pub(super) began: Instant,
    /// The owner of the decisions that these sessions make. Only the owner of a decision can confirm its calls.
    pub(super) owner: Owner,
    sweeping: Once,
}

/// A handle to one session. The handle may be kept and cloned freely; the session itself is opened on first use.
#[derive(Clone)]
pub struct Session {
    pub(super) shared: Arc<Shared>,
    pub(super) live: Arc<LiveSession>,
}

impl Shared {
    pub(super) fn machine_set(&self, session: &SessionIdentity) -> MachineSet {
        (self.choose)(session)
    }

    fn live(&self) -> MutexGuard<'_, HashMap<SessionIdentity, Arc<LiveSession>>> {
        // No code panics while it holds this lock, so the data is consistent even if the lock is poisoned.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget_idle(&self, limit: Duration) {
        self.live().retain(|_, live| {
            // Another handle to the session may be about to use it, and a session must not be in memory twice.
            Arc::strong_count(live) > 1 || !live.is_idle(self.began, limit)
        });
    }
}

impl Sessions {
    /// Creates the sessions of a host; all of them have the same machines.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, machines: MachineSet) -> Self {
        Self::choosing(store, move |_| machines.clone())
    }

    /// Creates the sessions of a host; each may have different machines. `choose` returns the machines of a session. It
    /// is called whenever the session is opened, and may also be called at other times.
    #[must_use]
    pub fn choosing(
        store: Arc<dyn Store>,
        choose: impl Fn(&SessionIdentity) -> MachineSet + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Shared {
            store,
            choose: Box::new(choose),
            live: Mutex::default(),
            idle: IDLE,
            began: Instant::now(),
            owner: Owner::unique(),
            sweeping: Once::new(),
        }))
    }

    /// Returns the session with this identity, which need not exist in the store yet.
    #[must_use]
    pub fn session(&self, identity: &SessionIdentity) -> Session {
        let mut all = self.0.live();
        let live = all
            .entry(identity.clone())
            .or_insert_with(|| Arc::new(LiveSession::new(identity.clone())));
        live.touch(self.0.began);
        let live = Arc::clone(live);
        drop(all);
        self.sweep_now_and_then();
        Session {
            shared: Arc::clone(&self.0),
            live,
        }
    }

    /// Returns the number of sessions in memory.
    #[must_use]
    pub fn in_memory(&self) -> usize {
        self.0.live().len()
    }

    /// Removes from memory all sessions that have no [`Session`] handle and have not been used for at least `limit`.
    /// Sessions without a handle are removed automatically once they have not been used for more than five minutes.
    pub fn forget_idle(&self, limit: Duration) {
        self.0.forget_idle(limit);
    }

    /// Returns at most `most` sessions of the store, sorted by channel, then by conversation. If `after` is given, the
    /// list starts after that session.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn list(
        &self,
        after: Option<&SessionIdentity>,
        most: u32,
    ) -> Result<Vec<ListedSession>, SessionError> {
        Ok(self.0.store.sessions(after, most).await?)
    }

    /// Returns at most `most` sessions with pending effects, sorted by channel, then by conversation. After a host has
    /// restarted, it first carries out the effects of these sessions.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn with_effects(&self, most: u32) -> Result<Vec<SessionIdentity>, SessionError> {
        Ok(self.0.store.waiting(None, most).await?)
    }

    /// Deletes a session and all its data; returns `false` if there is no such session.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn delete(&self, identity: &SessionIdentity) -> Result<bool, SessionError> {
        let live = self.session(identity).live;
        // While the lock is held, this process does not acknowledge any entry of the session.
        let mut place = live.lock().await;
        let deleted = self.0.store.delete(identity).await?;
        *place = None;
        live.acknowledge(Head::default());
        Ok(deleted)
    }

    /// Returns the store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.0.store
    }

    fn sweep_now_and_then(&self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        self.0.sweeping.call_once(|| {
            let shared = Arc::downgrade(&self.0);
            runtime.spawn(sweep(shared, self.0.idle));
        });
    }
}

/// Removes idle sessions from memory at regular intervals, for as long as the `Sessions` value exists.
async fn sweep(shared: Weak<Shared>, idle: Duration) {
    loop {
        tokio::time::sleep(idle / 2).await;
        match shared.upgrade() {
            Some(shared) => shared.forget_idle(idle),
            None => return,
        }
    }
}

impl Session {
    /// Returns the identity of the session.
    #[must_use]
    pub fn identity(&self) -> &SessionIdentity {
        &self.live.identity
    }

    /// Returns the store that contains the session.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// Removes the session's content from memory. On its next use, the session is reopened with the machines that are
    /// chosen for it at that time.
    pub async fn reopen(&self) {
        *self.live.lock().await = None;
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions")
            .field("store", &self.0.store)
            .field("in_memory", &self.in_memory())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Session").field(&self.live.identity).finish()
    }
}
