//! Stores for sessions: the trait [`Store`], and implementations for a single process, a single computer, and many
//! hosts.
//!
//! | store | use |
//! |---|---|
//! | [`Memory`] | tests, and sessions that may be lost with the process |
//! | `Sqlite` (feature `sqlite`) | one file, which several processes on one computer can share |
//! | `Postgres` (feature `postgres`) | a database that many hosts share |
//!
//! A store contains numbered pieces of text, and does not interpret them as plans. The guarantees that a store must
//! give are specified as [laws](crate::conformance), which also apply to stores that you write yourself.

mod address;
mod due;
mod error;
mod given;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod lost;
mod memory;
mod place;
#[cfg(feature = "postgres")]
pub mod postgres;
mod shell;
#[cfg(feature = "sqlite")]
pub mod sqlite;
mod wake;

use std::fmt;
use std::pin::Pin;

pub use address::{open, open_existing, without_password};
pub use due::NextDue;
pub use error::{StoreError, StoreErrorKind};
pub use given::StoredAnswer;
pub use memory::Memory;
pub use place::Place;
#[cfg(feature = "postgres")]
pub use postgres::Postgres;
pub use shell::shell_word;
#[cfg(feature = "sqlite")]
pub use sqlite::Sqlite;
pub use wake::StoreChanges;

use plan_machine_kernel::time::Instant;

use crate::identity::SessionIdentity;
use crate::journal::Digest;

/// A future that resolves to the result of a store operation.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Stores the journals of sessions.
///
/// A store, except for [`Memory`], makes data durable before it returns: everything that [`append`](Self::append) has
/// reported as stored survives a crash. A commit is stored completely or not at all.
pub trait Store: Send + Sync + fmt::Debug {
    /// Stores a commit if the last entry of its session is the one that the commit expects, and if none of the calls
    /// that it answers has an answer yet. Otherwise, the commit fails with a conflict.
    fn append(&self, commit: Commit) -> StoreFuture<'_, AppendOutcome>;

    /// Returns the number and digest of a session's last entry, its last snapshot, the digest of the entry that the
    /// snapshot is bound to, and the entries after the snapshot. All of them are read at the same moment.
    fn read<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, StoredSession>;

    /// Returns the number and digest of a session's last entry; the number is 0 if there is no such session.
    fn head<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Head>;

    /// Returns at most `most` entries of a session in order, starting after the entry with the number `after`. Entries
    /// of a damaged session are returned as far as they can be read.
    fn history<'a>(
        &'a self,
        session: &'a SessionIdentity,
        after: u64,
        most: u32,
    ) -> StoreFuture<'a, Vec<Row>>;

    /// Returns at most `most` entries of all sessions in the order in which they were stored, starting after the
    /// position `after`. Entries of sessions whose names are damaged are skipped.
    fn everything(&self, after: Place, most: u32) -> StoreFuture<'_, Vec<PlacedEntry>>;

    /// Returns the position after all entries that [`everything`](Self::everything) can return now.
    fn end(&self) -> StoreFuture<'_, Place>;

    /// Returns the stored answer to the call with this id, if there is one.
    fn answer<'a>(
        &'a self,
        session: &'a SessionIdentity,
        call_id: &'a str,
    ) -> StoreFuture<'a, Option<StoredAnswer>>;

    /// Returns the answers of a session that were given while the number of its last entry was between `from` and `to`,
    /// inclusive. The answers are in the order in which they were given.
    fn answers<'a>(
        &'a self,
        session: &'a SessionIdentity,
        from: u64,
        to: u64,
    ) -> StoreFuture<'a, Vec<StoredAnswer>>;

    /// Returns the last `most` of the answers that [`answers`](Self::answers) returns, in the same order. A store that
    /// has many answers should not read all of them for this.
    fn last_answers<'a>(
        &'a self,
        session: &'a SessionIdentity,
        from: u64,
        to: u64,
        most: u32,
    ) -> StoreFuture<'a, Vec<StoredAnswer>> {
        Box::pin(async move {
            let mut all = self.answers(session, from, to).await?;
            let earlier = all.len().saturating_sub(most as usize);
            Ok(all.split_off(earlier))
        })
    }

    /// Returns the pending effects of at most `most` entries of a session, oldest first. If the entry of a pending
    /// effect is missing, the session is damaged. In that case, this method returns an error instead of omitting the
    /// effect.
    fn pending<'a>(
        &'a self,
        session: &'a SessionIdentity,
        most: u32,
    ) -> StoreFuture<'a, Vec<UnsettledEntry>>;

    /// Returns at most `most` sessions with pending effects, sorted by channel, then by conversation. If `after` is
    /// given, the list starts after that session. This does not read any entries, so a damaged session does not hide
    /// other sessions.
    fn waiting<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<SessionIdentity>>;

    /// Returns at most `most` sessions whose next timer is due at or before an instant, ordered by the instants at
    /// which their timers are due. The sessions are found with an index, so sessions that are not due are not read.
    fn due(&self, until: Instant, most: u32) -> StoreFuture<'_, Vec<SessionIdentity>>;

    /// Returns the instant from which [`due`](Self::due) lists a session; `None` if it never does. The instant may be
    /// up to a millisecond after that of the timer.
    fn due_at<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Option<Instant>>;

    /// Marks an effect as carried out, so that it is not delivered again. Settling an effect twice is not an error.
    fn settle<'a>(
        &'a self,
        session: &'a SessionIdentity,
        seq: u64,
        position: u32,
    ) -> StoreFuture<'a, ()>;

    /// Settles all pending effects of a session. This does not read the session's entries, so it works even if they are
    /// damaged.
    fn settle_all<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, ()>;

    /// Returns at most `most` sessions, sorted by channel, then by conversation. If `after` is given, the list starts
    /// after that session.
    fn sessions<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<ListedSession>>;

    /// Returns the sessions that [`sessions`](Self::sessions) cannot list, because their names are damaged or missing.
    /// A store that cannot lose a name returns an empty list.
    fn unlisted(&self) -> StoreFuture<'_, Vec<UnlistedSession>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Corrects what the store records about a session besides the text of its entries: its name, damaged numbers of
    /// entries, the number and digest of its last entry, and the number of its pending effects. The corrected number of
    /// the last entry is not lower than any valid number in the stored data of the session, so that no number is used
    /// twice. All entries are kept, and a session that is not damaged does not change.
    ///
    /// This is done before a session that cannot be read is restarted, so that its next entry can be stored. A store
    /// that records nothing besides the entries does nothing.
    fn repair<'a>(&'a self, _session: &'a SessionIdentity) -> StoreFuture<'a, ()> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Deletes a session and all its data; returns `false` if there is no such session.
    fn delete<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, bool>;

    /// Returns a handle with which a task can wait until new data is stored.
    fn wake(&self) -> StoreChanges;

    /// Checks the store itself, but not the content of its sessions. Returns descriptions of the problems that were
    /// found; a store that has no such check returns an empty list.
    fn check(&self) -> StoreFuture<'_, Vec<String>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Closes the store. A host calls this method before its process ends, or before the store is copied: a copy is
    /// complete if it is made before the store is used again. A closed store can still be used, because the next
    /// operation opens it again.
    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A commit: new data for one session, which is stored completely or not at all.
#[derive(Clone, Debug)]
pub struct Commit {
    /// The session.
    pub session: SessionIdentity,
    /// The number that the session's last entry must have; 0 for a session that does not exist yet.
    pub expected: u64,
    /// The digest that the session's last entry must have; `None` if any digest is accepted. The number alone is not
    /// enough to detect a session that was deleted, created again, and has reached the same number.
    pub after: Option<Digest>,
    /// The new entries, numbered consecutively after `expected`.
    pub rows: Vec<Row>,
    /// The effects of the new entries, which become pending. Each effect is identified by the number of its entry and
    /// by its position in that entry.
    pub effects: Vec<(u64, u32)>,
    /// The answers to store, each under the id of its call.
    pub answers: Vec<StoredAnswer>,
    /// A snapshot of the session's content after this commit, which replaces the current snapshot.
    pub snapshot: Option<Row>,
    /// What the commit does to the instant at which the session's next timer is due.
    pub due: NextDue,
}

impl Commit {
    /// Returns the number and digest of the session's last entry after this commit.
    pub(crate) fn last(&self) -> Head {
        let before = Head {
            seq: self.expected,
            digest: self.after,
        };
        self.rows.last().map_or(before, |row| Head {
            seq: row.seq,
            digest: Some(row.digest),
        })
    }
}

/// The outcome of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendOutcome {
    /// The commit is stored.
    Stored,
    /// The commit is not stored, because another writer committed first. Nothing has changed.
    Conflict,
}

/// The number and digest of a session's last entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// The number of the entry; 0 if the session has no entries.
    pub seq: u64,
    /// The digest of the entry; `None` if the session has no entries.
    pub digest: Option<Digest>,
}

/// An entry or a snapshot, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The number of the entry, or of the last entry that the snapshot includes.
    pub seq: u64,
    /// The text.
    pub body: String,
    /// The digest of the text and of the hash chain that it belongs to.
    pub digest: Digest,
}

/// The stored data from which a session is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredSession {
    /// The number and digest of the last entry, which the store records separately: if the entries end earlier, some of
    /// them are missing.
    pub head: Head,
    /// The last snapshot.
    pub snapshot: Option<Row>,
    /// The digest of the entry with the snapshot's number, which the snapshot must match; `None` if there is no such
    /// entry.
    pub base: Option<Digest>,
    /// The entries after the snapshot.
    pub tail: Vec<Row>,
}

/// An entry with its session, and its position among the entries of all sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedEntry {
    /// The position of the entry.
    pub place: Place,
    /// The session that the entry belongs to.
    pub session: SessionIdentity,
    /// The entry.
    pub row: Row,
}

/// An entry with pending effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsettledEntry {
    /// The entry.
    pub row: Row,
    /// The positions of its pending effects.
    pub positions: Vec<u32>,
}

/// A session in the list of sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedSession {
    /// The identity of the session.
    pub session: SessionIdentity,
    /// The number of the session's last entry.
    pub seq: u64,
}

/// A session that cannot be listed, because its name is damaged or missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnlistedSession {
    /// The readable part of the name, or another description of the session.
    pub name: String,
    /// The number of entries that are stored.
    pub entries: u64,
    /// The problem with the name.
    pub problem: String,
    /// The identity of the session, if the stored data shows it.
    pub identity: Option<SessionIdentity>,
}

/// The highest number that an entry can have. A higher number is treated as damaged.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
const MOST_ENTRIES: i64 = u32::MAX as i64;

/// Returns the error for a pending effect whose entry is missing. The effect cannot be delivered, because only the
/// entry describes the effect.
fn effect_without_entry(seq: u64) -> StoreError {
    let message = format!("entry {seq}, which has a pending effect, is missing");
    StoreError::new(StoreErrorKind::Damaged, message)
}

/// Describes the number of rows that do not belong to any session or entry; `None` if there are no such rows.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
fn without_owner(number: u64, one: &str, many: &str, of: &str) -> Option<String> {
    match number {
        0 => None,
        1 => Some(format!("1 {one} does not belong to any {of}")),
        _ => Some(format!("{number} {many} do not belong to any {of}")),
    }
}
