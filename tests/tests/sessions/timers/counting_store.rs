//! A store that counts the commits to another store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plan_machine_kernel::time::Instant;
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::store::{
    AppendOutcome, Commit, Head, ListedSession, Place, PlacedEntry, Row, Store, StoreChanges,
    StoreFuture, StoredAnswer, StoredSession, UnsettledEntry,
};

#[derive(Debug)]
pub(super) struct CountingStore {
    store: Arc<dyn Store>,
    commits: AtomicUsize,
}

impl CountingStore {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            commits: AtomicUsize::new(0),
        }
    }

    /// Returns the number of commits since this function was last called.
    pub(super) fn take_commits(&self) -> usize {
        self.commits.swap(0, Ordering::SeqCst)
    }
}

impl Store for CountingStore {
    fn append(&self, commit: Commit) -> StoreFuture<'_, AppendOutcome> {
        self.commits.fetch_add(1, Ordering::SeqCst);
        self.store.append(commit)
    }

    fn read<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, StoredSession> {
        self.store.read(session)
    }

    fn head<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Head> {
        self.store.head(session)
    }

    fn history<'a>(
        &'a self,
        session: &'a SessionIdentity,
        after: u64,
        most: u32,
    ) -> StoreFuture<'a, Vec<Row>> {
        self.store.history(session, after, most)
    }

    fn everything(&self, after: Place, most: u32) -> StoreFuture<'_, Vec<PlacedEntry>> {
        self.store.everything(after, most)
    }

    fn end(&self) -> StoreFuture<'_, Place> {
        self.store.end()
    }

    fn answer<'a>(
        &'a self,
        session: &'a SessionIdentity,
        call_id: &'a str,
    ) -> StoreFuture<'a, Option<StoredAnswer>> {
        self.store.answer(session, call_id)
    }

    fn answers<'a>(
        &'a self,
        session: &'a SessionIdentity,
        from: u64,
        to: u64,
    ) -> StoreFuture<'a, Vec<StoredAnswer>> {
        self.store.answers(session, from, to)
    }

    fn pending<'a>(
        &'a self,
        session: &'a SessionIdentity,
        most: u32,
    ) -> StoreFuture<'a, Vec<UnsettledEntry>> {
        self.store.pending(session, most)
    }

    fn waiting<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<SessionIdentity>> {
        self.store.waiting(after, most)
    }

    fn settle<'a>(
        &'a self,
        session: &'a SessionIdentity,
        seq: u64,
        position: u32,
    ) -> StoreFuture<'a, ()> {
        self.store.settle(session, seq, position)
    }

    fn settle_all<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, ()> {
        self.store.settle_all(session)
    }

    fn sessions<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<ListedSession>> {
        self.store.sessions(after, most)
    }

    fn due(&self, until: Instant, most: u32) -> StoreFuture<'_, Vec<SessionIdentity>> {
        self.store.due(until, most)
    }

    fn due_at<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Option<Instant>> {
        self.store.due_at(session)
    }

    fn delete<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, bool> {
        self.store.delete(session)
    }

    fn wake(&self) -> StoreChanges {
        self.store.wake()
    }
}
