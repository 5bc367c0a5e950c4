//! The sessions of a host: any number side by side, those in use in memory.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use super::error::SessionError;
use super::identity::SessionIdentity;
use super::room::Room;
use crate::gate::Ensemble;
use crate::store::{Listed, Store};

/// How long a session stays in memory after its last use.
const IDLE: Duration = Duration::from_secs(300);

/// The sessions of a host.
#[derive(Clone)]
pub struct Sessions(Arc<House>);

pub(super) struct House {
    pub(super) store: Arc<dyn Store>,
    choose: Box<dyn Fn(&SessionIdentity) -> Ensemble + Send + Sync>,
    rooms: Mutex<HashMap<SessionIdentity, Arc<Room>>>,
    idle: Duration,
    pub(super) began: Instant,
    sweeping: Once,
}

/// One session. It may be held for as long as one likes, and copied: it is a name, and what is
/// behind it is opened when it is used.
#[derive(Clone)]
pub struct Session {
    pub(super) house: Arc<House>,
    pub(super) room: Arc<Room>,
}

impl House {
    pub(super) fn ensemble(&self, session: &SessionIdentity) -> Ensemble {
        (self.choose)(session)
    }

    fn rooms(&self) -> MutexGuard<'_, HashMap<SessionIdentity, Arc<Room>>> {
        // Nothing panics while it holds the lock.
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn forget_idle(&self, limit: Duration) {
        self.rooms().retain(|_, room| {
            // Somebody who holds the session may be about to use it: there is one room for each.
            Arc::strong_count(room) > 1 || !room.is_idle(self.began, limit)
        });
    }
}

impl Sessions {
    /// Sessions that all have the same machines.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, machines: Ensemble) -> Self {
        Self::choosing(store, move |_| machines.clone())
    }

    /// Sessions that may have different machines: which, is asked each time a session is opened.
    #[must_use]
    pub fn choosing(
        store: Arc<dyn Store>,
        choose: impl Fn(&SessionIdentity) -> Ensemble + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(House {
            store,
            choose: Box::new(choose),
            rooms: Mutex::default(),
            idle: IDLE,
            began: Instant::now(),
            sweeping: Once::new(),
        }))
    }

    /// The session of an identity; there need be nothing in the store yet.
    #[must_use]
    pub fn session(&self, identity: &SessionIdentity) -> Session {
        let mut rooms = self.0.rooms();
        let room = rooms
            .entry(identity.clone())
            .or_insert_with(|| Arc::new(Room::new(identity.clone())));
        room.touch(self.0.began);
        let room = Arc::clone(room);
        drop(rooms);
        self.sweep_now_and_then();
        Session {
            house: Arc::clone(&self.0),
            room,
        }
    }

    /// How many sessions are in memory.
    #[must_use]
    pub fn in_memory(&self) -> usize {
        self.0.rooms().len()
    }

    /// Lets go of the sessions in memory that nobody holds and that have not been used for so long.
    /// This happens by itself for those of the last five minutes.
    pub fn forget_idle(&self, limit: Duration) {
        self.0.forget_idle(limit);
    }

    /// The sessions in the store, in the order of channel and conversation, after one of them, so many
    /// at most.
    ///
    /// # Errors
    ///
    /// Where the store fails.
    pub async fn list(
        &self,
        after: Option<&SessionIdentity>,
        most: u32,
    ) -> Result<Vec<Listed>, SessionError> {
        Ok(self.0.store.sessions(after, most).await?)
    }

    /// The sessions that have effects which nobody has settled, in the order of channel and conversation,
    /// so many at most: where a host begins when it starts again.
    ///
    /// # Errors
    ///
    /// Where the store fails.
    pub async fn with_effects(&self, most: u32) -> Result<Vec<SessionIdentity>, SessionError> {
        Ok(self.0.store.waiting(None, most).await?)
    }

    /// Removes a session with everything that is kept of it; `false` where there is none.
    ///
    /// # Errors
    ///
    /// Where the store fails.
    pub async fn delete(&self, identity: &SessionIdentity) -> Result<bool, SessionError> {
        Ok(self.0.store.delete(identity).await?)
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.0.store
    }

    fn sweep_now_and_then(&self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        self.0.sweeping.call_once(|| {
            let house = Arc::downgrade(&self.0);
            runtime.spawn(sweep(house, self.0.idle));
        });
    }
}

/// Lets go of idle sessions for as long as there are any sessions.
async fn sweep(house: Weak<House>, idle: Duration) {
    loop {
        tokio::time::sleep(idle / 2).await;
        match house.upgrade() {
            Some(house) => house.forget_idle(idle),
            None => return,
        }
    }
}

impl Session {
    /// Which session it is.
    #[must_use]
    pub fn identity(&self) -> &SessionIdentity {
        &self.room.identity
    }

    /// The store that keeps it.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.house.store
    }

    /// Forgets what is in memory of the session: it is opened anew when it is next used, with the
    /// machines that are chosen for it then.
    pub async fn reopen(&self) {
        *self.room.lock().await = None;
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
        f.debug_tuple("Session").field(&self.room.identity).finish()
    }
}
