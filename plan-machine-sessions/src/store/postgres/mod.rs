//! The store for many hosts: a `PostgreSQL` database.
//!
//! A commit is a single statement, so it takes one round trip and one transaction. Watchers are notified by a `NOTIFY`
//! right after the commit. They also check for new entries every second, because a host may end before it has sent the
//! notification.
//!
//! The entries of all sessions are read in the order of their transactions, and only up to the oldest transaction that
//! is still running, because a later transaction may finish first. Therefore, if a transaction anywhere on the server
//! writes for several minutes, a watcher that follows all sessions is delayed until the transaction ends; watchers of
//! one session and all other operations are not delayed.
//!
//! The oldest supported version is `PostgreSQL` 13. The database must use UTF-8.

mod append;
mod connect;
mod deadlines;
mod error;
mod listen;
mod outcome;
mod pool;
mod repair;
mod rows;
mod schema;
mod statements;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::due::{instant_at, rounded_down};
use super::lost::{LostSessions, id_among, without_name};
use super::{
    AppendOutcome, Commit, Head, ListedSession, Place, PlacedEntry, Row, Store, StoreChanges,
    StoreError, StoreErrorKind, StoreFuture, StoredAnswer, StoredSession, UnlistedSession,
    UnsettledEntry, effect_without_entry, without_owner,
};
use plan_machine_kernel::time::Instant;

use crate::identity::SessionIdentity;
pub use deadlines::Deadlines;
use listen::Listening;
use pool::Connections;
use rows::{Numbered, from_number, number};

/// How often watchers check for new entries without a notification.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Stores sessions in `PostgreSQL`, in the schema `plan_machine` of a database.
///
/// A process needs only one value of this type. After an outage of the server, the store works again once the server is
/// back.
pub struct Postgres {
    pool: Connections,
    changes: Arc<watch::Sender<u64>>,
    listening: Listening,
    lost: LostSessions,
}

impl Postgres {
    /// Returns an error if a session was not found by its name, although its entries exist.
    async fn refuse_lost(&self, session: &SessionIdentity) -> Result<(), StoreError> {
        if self.lost.may_be(session) == Some(false) {
            return Ok(());
        }
        // The lost sessions that were found earlier may have been repaired or deleted in the meantime.
        let found = repair::lost(&self.pool).await?;
        let is_lost = id_among(&found, session).is_some();
        self.lost.remember(found);
        if is_lost {
            return Err(StoreError::new(
                StoreErrorKind::Damaged,
                without_name(session),
            ));
        }
        Ok(())
    }

    /// Makes the next reader of a session look for lost sessions if the row of the session has disappeared while the
    /// session was in use.
    async fn notice_loss(&self, session: &SessionIdentity) -> Result<(), StoreError> {
        let found = pool::query_of(&self.pool, statements::HEAD, session, &[]).await?;
        if found.is_empty() {
            self.lost.forget();
        }
        Ok(())
    }

    /// Returns at most `most` sessions of a list. A session whose name is damaged is skipped, and the list continues
    /// after it.
    async fn listed<T>(
        &self,
        statement: &str,
        after: Option<&SessionIdentity>,
        most: u32,
        read: impl Fn(&tokio_postgres::Row, SessionIdentity) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        // No channel has an empty name, so all sessions come after the empty name.
        let mut last = after.map_or_else(Default::default, |after| {
            (after.channel().to_owned(), after.conversation().to_owned())
        });
        let mut found = Vec::new();
        loop {
            let left = most as usize - found.len();
            let page = number(left as u64);
            let of = [&last.0 as pool::Parameter, &last.1, &page];
            let rows = pool::query(&self.pool, statement, &of).await?;
            for row in &rows {
                if let Ok(session) = rows::session(row, 0) {
                    found.push(read(row, session)?);
                }
            }
            match rows.last() {
                // A full page with damaged sessions is followed by another page.
                Some(row) if rows.len() == left && found.len() < most as usize => {
                    last = (rows::get(row, 0)?, rows::get(row, 1)?);
                }
                _ => return Ok(found),
            }
        }
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The configuration is omitted, because it may contain a password.
        f.debug_struct("Postgres")
            .field("connections", &self.pool.pool.status())
            .finish_non_exhaustive()
    }
}

impl Store for Postgres {
    fn append(&self, commit: Commit) -> StoreFuture<'_, AppendOutcome> {
        Box::pin(async move {
            let appended = append::append(&self.pool, &commit).await?;
            if appended == AppendOutcome::Stored && !commit.rows.is_empty() {
                // Watchers in this process need not wait for the server's notification.
                self.changes.send_modify(|changes| *changes += 1);
                self.listening.tell();
            }
            if appended == AppendOutcome::Conflict && commit.expected > 0 {
                self.notice_loss(&commit.session).await?;
            }
            Ok(appended)
        })
    }

    fn read<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, StoredSession> {
        Box::pin(async move {
            let rows = pool::query_of(&self.pool, statements::READ, session, &[]).await?;
            if rows.is_empty() {
                self.refuse_lost(session).await?;
            }
            let mut read = StoredSession::default();
            for row in &rows {
                let kind: i32 = rows::get(row, 0)?;
                match kind {
                    0 => read.head = rows::head(row, 1, 3)?,
                    1 => read.snapshot = Some(rows::text(row, 1)?),
                    2 => read.base = Some(rows::digest(row, 3)?),
                    _ => read.tail.push(rows::text(row, 1)?),
                }
            }
            Ok(read)
        })
    }

    fn head<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Head> {
        Box::pin(async move {
            let rows = pool::query_of(&self.pool, statements::HEAD, session, &[]).await?;
            if let Some(row) = rows.first() {
                return rows::head(row, 0, 1);
            }
            self.refuse_lost(session).await?;
            Ok(Head::default())
        })
    }

    fn history<'a>(
        &'a self,
        session: &'a SessionIdentity,
        after: u64,
        most: u32,
    ) -> StoreFuture<'a, Vec<Row>> {
        Box::pin(async move {
            let (after, most) = (number(after), i64::from(most));
            let rows =
                pool::query_of(&self.pool, statements::HISTORY, session, &[&after, &most]).await?;
            rows.iter().map(|row| rows::text(row, 0)).collect()
        })
    }

    fn everything(&self, after: Place, most: u32) -> StoreFuture<'_, Vec<PlacedEntry>> {
        Box::pin(async move {
            let (mut place, mut found) = (after, Vec::new());
            loop {
                let (transaction, last) = (number(place.transaction), number(place.number));
                let left = most as usize - found.len();
                let page = number(left as u64);
                let of = [&transaction as pool::Parameter, &last, &page];
                let rows = pool::query(&self.pool, statements::EVERYTHING, &of).await?;
                for row in &rows {
                    place = rows::place(row, 0)?;
                    // An entry that is damaged, or whose session has a damaged name, is skipped.
                    if let (Ok(session), Ok(row)) = (rows::session(row, 2), rows::text(row, 4)) {
                        found.push(PlacedEntry {
                            place,
                            session,
                            row,
                        });
                    }
                }
                if rows.len() < left || found.len() >= most as usize {
                    return Ok(found);
                }
            }
        })
    }

    fn end(&self) -> StoreFuture<'_, Place> {
        Box::pin(async move {
            let rows = pool::query(&self.pool, statements::END, &[]).await?;
            rows::place(rows::only(&rows)?, 0)
        })
    }

    fn answer<'a>(
        &'a self,
        session: &'a SessionIdentity,
        call_id: &'a str,
    ) -> StoreFuture<'a, Option<StoredAnswer>> {
        Box::pin(async move {
            let call_id = call_id.as_bytes();
            let rows = pool::query_of(&self.pool, statements::ANSWER, session, &[&call_id]).await?;
            rows.first().map(rows::given).transpose()
        })
    }

    fn answers<'a>(
        &'a self,
        session: &'a SessionIdentity,
        from: u64,
        to: u64,
    ) -> StoreFuture<'a, Vec<StoredAnswer>> {
        Box::pin(async move {
            let (from, to) = (number(from), number(to));
            let rows =
                pool::query_of(&self.pool, statements::ANSWERS, session, &[&from, &to]).await?;
            rows.iter().map(rows::given).collect()
        })
    }

    fn last_answers<'a>(
        &'a self,
        session: &'a SessionIdentity,
        from: u64,
        to: u64,
        most: u32,
    ) -> StoreFuture<'a, Vec<StoredAnswer>> {
        Box::pin(async move {
            let (from, to, most) = (number(from), number(to), i64::from(most));
            let with: [pool::Parameter; 3] = [&from, &to, &most];
            let rows = pool::query_of(&self.pool, statements::LAST_ANSWERS, session, &with).await?;
            rows.iter().rev().map(rows::given).collect()
        })
    }

    fn pending<'a>(
        &'a self,
        session: &'a SessionIdentity,
        most: u32,
    ) -> StoreFuture<'a, Vec<UnsettledEntry>> {
        Box::pin(async move {
            let most = i64::from(most);
            let of = [
                &most as pool::Parameter,
                &session.channel(),
                &session.conversation(),
            ];
            let rows = pool::query(&self.pool, statements::PENDING, &of).await?;
            let pending = rows.iter().map(|row| {
                let positions: Vec<i64> = rows::get(row, 3)?;
                let body: Option<&str> = rows::get(row, 1)?;
                if body.is_none() {
                    return Err(effect_without_entry(rows::number_at(row, 0)?));
                }
                Ok(UnsettledEntry {
                    row: rows::text(row, 0)?,
                    positions: positions
                        .into_iter()
                        .map(from_number)
                        .collect::<Numbered<_>>()?,
                })
            });
            pending.collect()
        })
    }

    fn waiting<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<SessionIdentity>> {
        Box::pin(async move {
            let name = |_: &tokio_postgres::Row, session| Ok(session);
            self.listed(statements::WAITING, after, most, name).await
        })
    }

    fn due(&self, until: Instant, most: u32) -> StoreFuture<'_, Vec<SessionIdentity>> {
        Box::pin(async move {
            let (until, most) = (rounded_down(until), most as usize);
            let mut page = number(most as u64);
            loop {
                let rows = pool::query(&self.pool, statements::DUE, &[&until, &page]).await?;
                // A session whose name is damaged or missing is skipped.
                let sessions = rows.iter().filter_map(|row| rows::session(row, 0).ok());
                let found: Vec<SessionIdentity> = sessions.take(most).collect();
                if found.len() == most || number(rows.len() as u64) < page {
                    return Ok(found);
                }
                // Skipped sessions stay due and come first in every list, so the others are further down.
                page = page.saturating_mul(2);
            }
        })
    }

    fn due_at<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, Option<Instant>> {
        Box::pin(async move {
            let rows = pool::query_of(&self.pool, statements::DUE_AT, session, &[]).await?;
            let at = rows.first().map(|row| rows::get(row, 0)).transpose()?;
            Ok(at.map(instant_at))
        })
    }

    fn settle<'a>(
        &'a self,
        session: &'a SessionIdentity,
        seq: u64,
        position: u32,
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let (seq, position) = (number(seq), i64::from(position));
            // Settling an effect twice is harmless, so this statement may be sent twice, as `pool::query` requires.
            pool::query_of(&self.pool, statements::SETTLE, session, &[&seq, &position]).await?;
            Ok(())
        })
    }

    fn settle_all<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            pool::query_of(&self.pool, statements::SETTLE_ALL, session, &[]).await?;
            Ok(())
        })
    }

    fn sessions<'a>(
        &'a self,
        after: Option<&'a SessionIdentity>,
        most: u32,
    ) -> StoreFuture<'a, Vec<ListedSession>> {
        Box::pin(async move {
            let listed = |row: &tokio_postgres::Row, session| {
                let seq = rows::number_at(row, 2)?;
                Ok(ListedSession { session, seq })
            };
            self.listed(statements::SESSIONS, after, most, listed).await
        })
    }

    fn unlisted(&self) -> StoreFuture<'_, Vec<UnlistedSession>> {
        Box::pin(repair::unlisted(&self.pool))
    }

    fn repair<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.lost.forget();
            repair::session(&self.pool, session).await
        })
    }

    fn delete<'a>(&'a self, session: &'a SessionIdentity) -> StoreFuture<'a, bool> {
        Box::pin(append::delete(&self.pool, session))
    }

    fn wake(&self) -> StoreChanges {
        StoreChanges::new(self.changes.subscribe(), Some(LOOK_EVERY))
    }

    /// Counts the rows that do not belong to any session or entry. The server checks its pages itself.
    fn check(&self) -> StoreFuture<'_, Vec<String>> {
        Box::pin(async move {
            let rows = pool::query(&self.pool, statements::LOST, &[]).await?;
            let kept = [
                ("entry", "entries", "session"),
                ("pending effect", "pending effects", "session"),
                ("answer", "answers", "session"),
                ("snapshot", "snapshots", "session"),
                ("instant of a timer", "instants of timers", "session"),
                ("pending effect", "pending effects", "entry"),
            ];
            let mut all = Vec::new();
            for (at, (one, many, of)) in kept.into_iter().enumerate() {
                let row = rows.first();
                let number = row.map_or(Ok(0), |row| rows::number_at(row, at))?;
                all.extend(without_owner(number, one, many, of));
            }
            Ok(all)
        })
    }
}
