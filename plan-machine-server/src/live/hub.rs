//! Forwards events to all clients. The buffer is shared and bounded: a client that falls behind loses its position in
//! it and is dropped, so it never slows down other clients.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use metrics::gauge;
use plan_machine_kernel::json::Json;
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::store::Place;
use tokio::sync::broadcast;

use super::event::{LiveEvent, formatted};
use crate::metrics::names;

/// The number of events by which a client may fall behind.
const BUFFER: usize = 4096;

/// Forwards events to all clients.
#[derive(Debug)]
pub(crate) struct Hub {
    events: broadcast::Sender<Arc<LiveEvent>>,
    /// The position of the last entry that was forwarded or, before any entry was forwarded, of the last entry that was
    /// stored when the server started; `None` until that position is known.
    place: Mutex<Option<Place>>,
    clients: AtomicUsize,
}

impl Default for Hub {
    fn default() -> Self {
        Self {
            events: broadcast::Sender::new(BUFFER),
            place: Mutex::default(),
            clients: AtomicUsize::new(0),
        }
    }
}

impl Hub {
    /// Returns the position of the last entry that was forwarded or, before any entry was forwarded, of the last entry
    /// that was stored when the server started.
    #[must_use]
    pub(crate) fn place(&self) -> Place {
        self.known().unwrap_or_default()
    }

    fn known(&self) -> MutexGuard<'_, Option<Place>> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of clients.
    #[cfg(test)]
    pub(super) fn clients(&self) -> usize {
        self.clients.load(Ordering::Relaxed)
    }

    /// Records that entries up to this position are not forwarded, because they were stored before the server started.
    /// Only the first call does this: entries that were stored later are forwarded even if the documents have changed
    /// in the meantime.
    pub(super) fn begin_after(&self, place: Place) {
        self.known().get_or_insert(place);
    }

    /// Forwards an event, even if no client is listening.
    pub(super) fn publish(&self, event: LiveEvent) {
        let place = match &event {
            LiveEvent::Entry { place, .. } => Some(*place),
            LiveEvent::Passing { .. } | LiveEvent::Stop => None,
        };
        // The lock is held until the event is sent, so that a client that first asks for the position and then listens
        // does not miss any event.
        let mut known = self.known();
        let _ = self.events.send(Arc::new(event));
        *known = (*known).max(place);
    }

    /// Returns a receiver of all later events, and the position after which it begins.
    pub(super) fn subscribe(&self) -> (broadcast::Receiver<Arc<LiveEvent>>, Place) {
        let known = self.known();
        (self.events.subscribe(), known.unwrap_or_default())
    }

    /// Reports to the clients that a call was denied.
    pub(crate) fn denied(&self, session: &SessionIdentity, data: &Json) {
        self.publish(LiveEvent::Passing {
            session: Some(session.clone()),
            text: formatted("denied", None, data),
        });
    }

    /// Sends a message of a chat to the clients.
    pub(crate) fn message(&self, session: &SessionIdentity, data: &Json) {
        self.publish(LiveEvent::Passing {
            session: Some(session.clone()),
            text: formatted("message", None, data),
        });
    }

    /// Reports to the clients whether the store can be reached.
    pub(super) fn store(&self, data: &Json) {
        self.publish(LiveEvent::Passing {
            session: None,
            text: formatted("store", None, data),
        });
    }

    /// Ends all streams.
    pub(crate) fn stop(&self) {
        self.publish(LiveEvent::Stop);
    }

    /// Counts a client for as long as the result exists; `None` if there are too many.
    pub(super) fn enter(self: &Arc<Self>, most: usize) -> Option<ClientGuard> {
        let entered = self
            .clients
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |clients| {
                (clients < most).then_some(clients + 1)
            });
        entered.ok()?;
        gauge!(names::STREAMS).increment(1.0);
        Some(ClientGuard(Arc::clone(self)))
    }
}

/// A client that is counted.
#[derive(Debug)]
pub(super) struct ClientGuard(Arc<Hub>);

impl Drop for ClientGuard {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::Relaxed);
        gauge!(names::STREAMS).decrement(1.0);
    }
}
