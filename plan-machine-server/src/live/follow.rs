//! The task that follows the journal: it keeps the index up to date and forwards new entries.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use metrics::gauge;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::SessionError;
use plan_machine_sessions::store::Place;
use plan_machine_sessions::watch::{WatchedEntry, Watcher};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use super::event::LiveEvent;
use super::hub::Hub;
use crate::inbox::Index;
use crate::metrics::names;
use crate::project::{Desk, ServedProject};

/// The pause before a store that failed is tried again.
const PAUSE: Duration = Duration::from_millis(500);

/// How long the follower waits for the next of the entries that were stored before it started. Entries of deleted
/// sessions never arrive.
const QUIET: Duration = Duration::from_secs(1);

/// Whether the store can be reached.
#[derive(Debug, Default)]
pub(crate) struct StoreHealth(RwLock<Option<String>>);

impl StoreHealth {
    /// Returns why the store cannot be reached; `None` if it can.
    #[must_use]
    pub(crate) fn problem(&self) -> Option<String> {
        let problem = self.0.read();
        problem.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set(&self, problem: Option<String>) -> bool {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let has_changed = known.is_some() != problem.is_some();
        *known = problem;
        has_changed
    }
}

/// The data that the follower keeps up to date.
#[derive(Clone)]
pub(crate) struct Follower {
    /// The project that is served.
    pub(crate) desk: Arc<Desk>,
    /// The waiting plans.
    pub(crate) index: Arc<Index>,
    /// Where entries are forwarded to.
    pub(crate) hub: Arc<Hub>,
    /// Whether the store can be reached.
    pub(crate) health: Arc<StoreHealth>,
}

/// Follows the journal until `stop` is true.
pub(crate) async fn follow(follower: Follower, mut stop: watch::Receiver<bool>) {
    let stopped = stop.wait_for(|stop| *stop);
    tokio::select! {
        () = follower.run() => {}
        _ = stopped => {}
    }
}

impl Follower {
    async fn run(&self) {
        let mut changes = self.desk.changes();
        loop {
            changes.mark_unchanged();
            let project = self.desk.project();
            self.index.clear();
            tokio::select! {
                () = self.follow(&project) => {}
                // The documents have changed, so plans in other states may be waiting now.
                reopened = changes.changed() => if reopened.is_err() {
                    return;
                },
            }
        }
    }

    async fn follow(&self, project: &ServedProject) {
        let end = loop {
            match project.sessions().end().await {
                Ok(end) => break end,
                Err(error) => self.unreachable(&error).await,
            }
        };
        self.hub.begin_after(end);
        self.reachable();
        let mut watcher = project.sessions().watch(Place::START);
        let mut last = Place::START;
        while last < end {
            let Ok(next) = timeout(QUIET, watcher.next()).await else {
                break;
            };
            self.take(project, next, &mut last).await;
        }
        self.index.complete();
        info!(target: "plan_machine", event = "inbox_ready", place = %end);
        loop {
            let next = self.next(project, &mut watcher).await;
            self.take(project, next, &mut last).await;
        }
    }

    /// Waits for the next entry. A store that could not be reached may be reachable again although nothing was stored
    /// in the meantime, so it is checked from time to time.
    async fn next(
        &self,
        project: &ServedProject,
        watcher: &mut Watcher,
    ) -> Result<WatchedEntry, SessionError> {
        while self.health.problem().is_some() {
            if let Ok(next) = timeout(QUIET, watcher.next()).await {
                return next;
            }
            if project.sessions().end().await.is_ok() {
                self.reachable();
            }
        }
        watcher.next().await
    }

    async fn take(
        &self,
        project: &ServedProject,
        next: Result<WatchedEntry, SessionError>,
        last: &mut Place,
    ) {
        match next {
            Ok(seen) => {
                self.reachable();
                *last = seen.place;
                let session = &seen.session;
                self.index.follow(project, session, seen.place, &seen.entry);
                if seen.place > self.hub.place() {
                    let waiting = self.index.of_session(session);
                    self.hub.publish(LiveEvent::entry(project, &seen, &waiting));
                }
            }
            // The other sessions are not affected; this one is shown with its problem.
            Err(SessionError::Unreadable { session, why }) => {
                warn!(target: "plan_machine", event = "unreadable", session_identity = %session, %why);
                self.index.forget(&session);
            }
            Err(error) => self.unreachable(&error).await,
        }
    }

    fn reachable(&self) {
        if self.health.set(None) {
            let mut object = Object::new();
            object.push("reachable", true);
            self.hub.store(&object.into());
        }
        gauge!(names::STORE_REACHABLE).set(1.0);
    }

    async fn unreachable(&self, error: &SessionError) {
        let problem = error.to_string();
        if self.health.set(Some(problem.clone())) {
            warn!(target: "plan_machine", event = "store_unreachable", problem);
            let mut object = Object::new();
            object.push("reachable", false);
            object.push("problem", problem);
            self.hub.store(&Json::Object(object));
        }
        gauge!(names::STORE_REACHABLE).set(0.0);
        sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests {
    use plan_machine::gate::EventContext;
    use plan_machine_sessions::SessionIdentity;

    use super::super::stream::tests::stream;
    use super::*;

    /// Follows the journal until the index is complete.
    async fn follow_stored(follower: &Follower, project: &ServedProject) {
        follower.index.clear();
        tokio::select! {
            () = follower.follow(project) => {}
            () = follower.index.completed() => {}
        }
    }

    #[tokio::test]
    async fn an_entry_that_was_stored_before_the_documents_changed_is_forwarded_after_it() {
        let stream = stream();
        let project = stream.desk.project();
        let follower = Follower {
            desk: stream.desk,
            index: stream.index,
            hub: stream.hub,
            health: Arc::default(),
        };
        follow_stored(&follower, &project).await;
        let (mut events, _) = follower.hub.subscribe();
        let session: SessionIdentity = "codex:first-talk".parse().expect("an identity");
        let around = EventContext::now().by("ann");
        let sent = project.session(&session).command("/plan on", &around).await;
        sent.expect("an answer");
        // The documents change, so the journal is followed again.
        follow_stored(&follower, &project).await;
        let forwarded = events.try_recv().expect("an event");
        assert!(matches!(*forwarded, LiveEvent::Entry { seq: 1, .. }));
        assert!(events.try_recv().is_err());
    }
}
