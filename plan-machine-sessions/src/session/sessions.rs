//! The sessions of a host: any number of them; those in use are in memory.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use super::live::LiveSession;
use crate::error::SessionError;
use crate::identity::SessionIdentity;
use crate::store::{ListedSession, Store};
use plan_machine::gate::{MachineSet, Owner};

/// How long a session stays in memory after its last use.
const IDLE: Duration = Duration::from_secs(300);

/// The sessions of a host.
#[derive(Clone)]
pub struct Sessions(Arc<Shared>);

pub(super) struct Shared {
    pub(super) store: Arc<dyn Store>,
    choose: Box<dyn Fn(&SessionIdentity) -> MachineSet + Send + Sync>,
    live: Mutex<HashMap<SessionIdentity, Arc<LiveSession>>>,
    idle: Duration,
    pub(super) began: Instant,
    /// The owner of decisions made here; only it can confirm their calls.
    pub(super) owner: Owner,
    sweeping: Once,
}

/// A handle to one session. It may be kept and cloned freely; the session itself is opened when it is used.
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
        // Nothing panics while holding the lock.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget_idle(&self, limit: Duration) {
        self.live().retain(|_, live| {
            // A holder of the session may be about to use it, and each session must have only one slot.
            Arc::strong_count(live) > 1 || !live.is_idle(self.began, limit)
        });
    }
}

impl Sessions {
    /// Creates sessions that all have the same machines.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, machines: MachineSet) -> Self {
        Self::choosing(store, move |_| machines.clone())
    }

    /// Creates sessions that may have different machines: `choose` is called each time a session is opened.
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

    /// Returns the session with this identity; the store need not contain it yet.
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

    /// Drops the sessions in memory that are not in use and have not been used for this long. Sessions that have been
    /// idle for five minutes are dropped automatically.
    pub fn forget_idle(&self, limit: Duration) {
        self.0.forget_idle(limit);
    }

    /// Returns at most `most` sessions of the store after one of them, ordered by channel and conversation.
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

    /// Returns at most `most` sessions with pending effects, ordered by channel and conversation: a host starts with
    /// these after a restart.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn with_effects(&self, most: u32) -> Result<Vec<SessionIdentity>, SessionError> {
        Ok(self.0.store.waiting(None, most).await?)
    }

    /// Removes a session and all its data; returns `false` if there is no such session.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn delete(&self, identity: &SessionIdentity) -> Result<bool, SessionError> {
        Ok(self.0.store.delete(identity).await?)
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

/// Drops idle sessions for as long as `Sessions` exists.
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
    /// Returns its identity.
    #[must_use]
    pub fn identity(&self) -> &SessionIdentity {
        &self.live.identity
    }

    /// Returns the store that contains it.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared.store
    }

    /// Forgets the session's state in memory: it is reopened on its next use, with the machines chosen for it at that
    /// time.
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
