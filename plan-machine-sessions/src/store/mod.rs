//! Where sessions are stored: one trait, and stores for a single process, a single machine, and many hosts.
//!
//! | store | for |
//! |---|---|
//! | [`Memory`] | tests, and sessions that may be lost with the process |
//! | `Sqlite` (feature `sqlite`) | one file, several processes on one machine |
//! | `Postgres` (feature `postgres`) | many hosts |
//!
//! A store keeps numbered texts and knows nothing about plans. Its guarantees are specified as
//! [laws](crate::conformance), which also apply to your own stores.

mod address;
mod error;
mod given;
mod memory;
mod place;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "sqlite")]
pub mod sqlite;
mod wake;

use std::fmt;
use std::pin::Pin;

pub use address::{open, open_existing};
pub use error::{StoreError, StoreErrorKind};
pub use given::StoredAnswer;
pub use memory::Memory;
pub use place::Place;
#[cfg(feature = "postgres")]
pub use postgres::Postgres;
#[cfg(feature = "sqlite")]
pub use sqlite::Sqlite;
pub use wake::StoreChanges;

use crate::identity::SessionIdentity;
use crate::journal::Digest;

/// A future that resolves to a store's answer.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Stores the journals of sessions.
///
/// A store makes data durable before it answers: anything that [`append`](Self::append) has reported as stored survives
/// a crash. A commit is stored completely or not at all.
pub trait Store: Send + Sync + fmt::Debug {
    /// Appends to a session if its last entry is still the expected one, and no call id gets a second answer.
    fn append(&self, commit: Commit) -> StoreFuture<'_, AppendOutcome>;

    /// Returns the last snapshot of a session, the entry that it is bound to, and the entries after it, as of one
    /// moment.
    fn read<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, StoredSession>;

    /// Returns a session's last entry; its number is 0 if there is no such session.
    fn head<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Head>;

    /// Returns at most `most` entries of a session after a number, in order.
    fn history<'a>(
        &'a self,
        session: &'a SessionIdentity,
        after: u64,
        most: u32,
    ) -> StoreFuture<'a, Vec<Row>>;

    /// Returns at most `most` entries of all sessions after a place, in the order in which they were stored.
    fn everything(&self, after: Place, most: u32) -> StoreFuture<'_, Vec<PlacedEntry>>;

    /// Returns the place after everything that is stored now.
    fn end(&self) -> StoreFuture<'_, Place>;

    /// Returns the answer to the call with this id.
    fn answer<'a>(
        &'a self,
        session: &'a SessionIdentity,
        call_id: &'a str,
    ) -> StoreFuture<'a, Option<StoredAnswer>>;

    /// Returns the answers of a session that were given while the number of its last entry was within a range, in the
    /// order in which they were given.
    fn answers<'a>(
        &'a self,
        session: &'a SessionIdentity,
        from: u64,
        to: u64,
    ) -> StoreFuture<'a, Vec<StoredAnswer>>;

    /// Returns the unsettled effects of a session, oldest first, of at most `most` entries. If the entry of an effect
    /// is missing, the session is damaged: that is an error, and the effect is not omitted.
    fn pending<'a>(
        &'a self,
        session: &'a SessionIdentity,
        most: u32,
    ) -> StoreFuture<'a, Vec<UnsettledEntry>>;

    /// Returns at most `most` sessions with pending effects after one of them, ordered by channel and conversation.
    /// This does not read any entries, so problems in one session do not hide others.
    fn waiting<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<SessionIdentity>>;

    /// Marks an effect as done: it is not delivered again. Settling it twice is not an error.
    fn settle<'a>(
        &'a self,
        session: &'a SessionIdentity,
        seq: u64,
        position: u32,
    ) -> StoreFuture<'a, ()>;

    /// Settles all effects of a session. This does not read its entries, so it works even if they are damaged.
    fn settle_all<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, ()>;

    /// Returns at most `most` sessions after one of them, ordered by channel and conversation.
    fn sessions<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<ListedSession>>;

    /// Removes a session and all its data; returns `false` if there is no such session.
    fn delete<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, bool>;

    /// Returns a handle that wakes when something new is stored.
    fn wake(&self) -> StoreChanges;

    /// Returns the problems of the store itself, apart from those of its sessions; empty if the store cannot tell.
    fn check(&self) -> StoreFuture<'_, Vec<String>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Closes the store, before the process ends or the store is copied: a copy made afterwards is complete. To use the
    /// store again, open it again.
    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// An addition to a session, which is stored completely or not at all.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The session.
    pub session: SessionIdentity,
    /// The number that its last entry must have; 0 for a session that does not exist yet.
    pub expected: u64,
    /// The digest that the entry with this number must have, if it matters: a session that was deleted and started
    /// again may have reached the same number.
    pub after: Option<Digest>,
    /// New entries, numbered from there.
    pub rows: Vec<Row>,
    /// The effects of these entries, which are pending from now on: the number of the entry, and the position.
    pub effects: Vec<(u64, u32)>,
    /// Answers to store under the ids of their calls.
    pub answers: Vec<StoredAnswer>,
    /// The content of the session after all of that; replaces the current snapshot.
    pub snapshot: Option<Row>,
}

/// The outcome of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendOutcome {
    /// It is stored.
    Stored,
    /// Another writer was first; nothing has changed.
    Conflict,
}

/// The last entry of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Its number; 0 if there is none.
    pub seq: u64,
    /// Its digest.
    pub digest: Option<Digest>,
}

/// A numbered text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The number of the entry.
    pub seq: u64,
    /// The text.
    pub body: String,
    /// A digest of the text and of what it follows.
    pub digest: Digest,
}

/// The data that a session is opened from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredSession {
    /// The last entry, which the store remembers separately: if the entries end earlier, some are missing.
    pub head: Head,
    /// The last snapshot.
    pub snapshot: Option<Row>,
    /// The digest of the entry at the snapshot's number, which the snapshot must be bound to; `None` if there is no
    /// such entry.
    pub base: Option<Digest>,
    /// The entries after the snapshot.
    pub tail: Vec<Row>,
}

/// An entry among those of all sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedEntry {
    /// Its place.
    pub place: Place,
    /// Its session.
    pub session: SessionIdentity,
    /// The entry.
    pub row: Row,
}

/// An entry with unsettled effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsettledEntry {
    /// The entry.
    pub row: Row,
    /// The positions of the effects.
    pub positions: Vec<u32>,
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    /// Its identity.
    pub session: SessionIdentity,
    /// The number of its last entry.
    pub seq: u64,
}

/// Returns the error for an effect whose entry, which describes it, is missing.
fn effect_without_entry(seq: u64) -> StoreError {
    let message = format!("entry {seq} of an open effect is missing");
    StoreError::new(StoreErrorKind::Damaged, message)
}

/// Describes orphaned rows; `None` if there are none.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
fn lost(number: u64, one: &str, many: &str, of: &str) -> Option<String> {
    match number {
        0 => None,
        1 => Some(format!("1 {one} does not belong to any {of}")),
        _ => Some(format!("{number} {many} do not belong to any {of}")),
    }
}
