//! The queries of the store.

use std::collections::BTreeSet;

use rusqlite::types::Type;
use rusqlite::{
    CachedStatement, Connection, Error, OptionalExtension, Params, Result, Row as Columns, params,
};

use super::connect::FileConnection;
use super::error::damaged;
use super::find::{self, FoundSession};
use super::layout::Layout;
use super::numbers::{bound, lossy_digest, lossy_text, uint};
use plan_machine_kernel::time::Instant;

use crate::identity::SessionIdentity;
use crate::store::due::{instant_at, rounded_down};
use crate::store::{
    Head, ListedSession, Place, PlacedEntry, Row, StoredAnswer, StoredSession, UnsettledEntry,
};

/// Reads an entry or a snapshot from three columns (number, text and digest), starting at the column `at`. A damaged
/// text or digest does not hide other entries: the text and the digest do not match, so the reader can report which
/// entry is damaged.
fn row(columns: &Columns<'_>, at: usize) -> Result<Row> {
    Ok(Row {
        seq: uint(columns, at)?,
        body: lossy_text(columns, at + 1)?,
        digest: lossy_digest(columns, at + 2)?,
    })
}

/// Reads a session identity from two columns (channel and conversation), starting at the column `at`.
fn identity(columns: &Columns<'_>, at: usize) -> Result<SessionIdentity> {
    let (channel, conversation): (String, String) = (columns.get(at)?, columns.get(at + 1)?);
    SessionIdentity::existing(&channel, &conversation)
        .map_err(|error| Error::FromSqlConversionFailure(at, Type::Text, Box::new(error)))
}

/// Reads an answer from four columns, of which the last three are read like an entry.
fn stored_answer(columns: &Columns<'_>) -> Result<StoredAnswer> {
    let row = row(columns, 1)?;
    Ok(StoredAnswer {
        call_id: lossy_text(columns, 0)?,
        seq: row.seq,
        body: row.body,
        digest: row.digest,
    })
}

/// Reads at most `most` rows, and skips the rows that cannot be read. The statement has no limit itself, so that
/// damaged rows do not make a page shorter.
fn readable<T>(
    mut statement: CachedStatement<'_>,
    with: impl Params,
    most: u32,
    read: impl Fn(&Columns<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut rows = statement.query(with)?;
    let mut found = Vec::new();
    while found.len() < most as usize
        && let Some(columns) = rows.next()?
    {
        found.extend(read(columns).ok());
    }
    Ok(found)
}

fn all<T>(
    mut statement: CachedStatement<'_>,
    with: impl Params,
    read: impl FnMut(&Columns<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    statement.query_map(with, read)?.collect()
}

pub(super) fn head(on: &FileConnection, session: &SessionIdentity) -> Result<Head> {
    let known = find::session(on, session)?;
    Ok(known.map(|known| known.head).unwrap_or_default())
}

/// Returns the last snapshot, the digest of the entry that the snapshot is bound to, and the entries after the
/// snapshot, all read in one transaction.
pub(super) fn session(on: &FileConnection, session: &SessionIdentity) -> Result<StoredSession> {
    let moment = on.connection.unchecked_transaction()?;
    let Some(FoundSession { id, head, .. }) = find::session(on, session)? else {
        return Ok(StoredSession::default());
    };
    let snapshot = moment
        .prepare_cached("SELECT seq, body, digest FROM snapshot WHERE session = ?")?
        .query_row([id], |columns| row(columns, 0))
        .optional()?;
    let after = snapshot.as_ref().map_or(0, |snapshot| snapshot.seq);
    let base = moment
        .prepare_cached("SELECT digest FROM entry WHERE session = ? AND seq = ?")?
        .query_row(params![id, bound(after)], |columns| {
            lossy_digest(columns, 0)
        })
        .optional()?;
    let tail = rows(&moment, id, after, u32::MAX)?;
    Ok(StoredSession {
        head,
        snapshot,
        base,
        tail,
    })
}

fn rows(connection: &Connection, id: i64, after: u64, most: u32) -> Result<Vec<Row>> {
    let statement = connection.prepare_cached(
        "SELECT seq, body, digest FROM entry WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?",
    )?;
    all(statement, params![id, bound(after), most], |columns| {
        row(columns, 0)
    })
}

/// Returns entries of a session, even if the session is damaged.
pub(super) fn history(
    on: &FileConnection,
    session: &SessionIdentity,
    after: u64,
    most: u32,
) -> Result<Vec<Row>> {
    match find::id(on, session)? {
        Some(id) => rows(&on.connection, id, after, most),
        None => Ok(Vec::new()),
    }
}

pub(super) fn everything(on: &FileConnection, after: Place, most: u32) -> Result<Vec<PlacedEntry>> {
    let statement = on.connection.prepare_cached(
        "SELECT place, channel, conversation, entry.seq, body, digest
         FROM entry JOIN session ON session.id = entry.session
         WHERE place > ? ORDER BY place",
    )?;
    readable(statement, params![bound(after.number)], most, |columns| {
        Ok(PlacedEntry {
            place: Place {
                transaction: 0,
                number: uint(columns, 0)?,
            },
            session: identity(columns, 1)?,
            row: row(columns, 3)?,
        })
    })
}

pub(super) fn end(on: &FileConnection) -> Result<Place> {
    let last = on
        .connection
        .prepare_cached("SELECT coalesce(max(place), 0) FROM entry")?
        .query_row([], |columns| uint(columns, 0))?;
    Ok(Place {
        transaction: 0,
        number: last,
    })
}

pub(super) fn answer(
    on: &FileConnection,
    session: &SessionIdentity,
    call_id: &str,
) -> Result<Option<StoredAnswer>> {
    let connection = &on.connection;
    let Some(known) = find::session(on, session)? else {
        return Ok(None);
    };
    let Some(number) = find::answer(connection, on.layout, known.id, call_id)? else {
        return Ok(None);
    };
    connection
        .prepare_cached("SELECT call_id, seq, body, digest FROM answer WHERE number = ?")?
        .query_row([number], stored_answer)
        .optional()
}

pub(super) fn answers(
    on: &FileConnection,
    session: &SessionIdentity,
    from: u64,
    to: u64,
) -> Result<Vec<StoredAnswer>> {
    let Some(id) = find::id(on, session)? else {
        return Ok(Vec::new());
    };
    let statement = on.connection.prepare_cached(
        "SELECT call_id, seq, body, digest FROM answer
         WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY number",
    )?;
    all(
        statement,
        params![id, bound(from), bound(to)],
        stored_answer,
    )
}

/// The query for the last answers. The index also has the number of each row, so no other answers are read.
const LAST_ANSWERS: &str = "SELECT call_id, seq, body, digest FROM answer
    WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC, number DESC LIMIT ?";

pub(super) fn last_answers(
    on: &FileConnection,
    session: &SessionIdentity,
    from: u64,
    to: u64,
    most: u32,
) -> Result<Vec<StoredAnswer>> {
    let Some(id) = find::id(on, session)? else {
        return Ok(Vec::new());
    };
    let statement = on.connection.prepare_cached(LAST_ANSWERS)?;
    let mut found = all(
        statement,
        params![id, bound(from), bound(to), most],
        stored_answer,
    )?;
    found.reverse();
    Ok(found)
}

/// The queries for the pending effects of a session and for the entry of an effect. Each query uses an index, so that
/// it reads only rows of that session.
const OPEN: &str = "SELECT seq, position FROM effect WHERE session = ? ORDER BY seq, position";
const ENTRY: &str = "SELECT seq, body, digest FROM entry WHERE session = ? AND seq = ?";

pub(super) fn pending(
    on: &FileConnection,
    session: &SessionIdentity,
    most: u32,
) -> Result<Vec<UnsettledEntry>> {
    let moment = on.connection.unchecked_transaction()?;
    let Some(known) = find::session(on, session)? else {
        return Ok(Vec::new());
    };
    let open = moment.prepare_cached(OPEN)?;
    let open: Vec<(u64, u32)> = all(open, [known.id], |columns| {
        Ok((uint(columns, 0)?, columns.get(1)?))
    })?;
    if known.effects.is_some_and(|many| many != open.len() as u64) {
        return Err(damaged("some of the session's pending effects are missing"));
    }
    let mut found: Vec<UnsettledEntry> = Vec::new();
    for (seq, position) in open {
        let many = found.len();
        match found.last_mut() {
            Some(last) if last.row.seq == seq => last.positions.push(position),
            _ if many == most as usize => break,
            _ => {
                let entry = moment
                    .prepare_cached(ENTRY)?
                    .query_row(params![known.id, bound(seq)], |columns| row(columns, 0))
                    .optional()?;
                let lost = || {
                    damaged(format!(
                        "entry {seq}, which has a pending effect, is missing"
                    ))
                };
                found.push(UnsettledEntry {
                    row: entry.ok_or_else(lost)?,
                    positions: vec![position],
                });
            }
        }
    }
    Ok(found)
}

/// Returns the sessions with pending effects. No entry is read, so a damaged entry cannot hide a session. A damaged
/// page of one index cannot hide a session either: sessions are looked up both by an index and by the effects
/// themselves, and every session that is found in either way is returned.
pub(super) fn waiting(
    on: &FileConnection,
    after: Option<&SessionIdentity>,
    most: u32,
) -> Result<Vec<SessionIdentity>> {
    let by_index = match on.layout {
        Layout::One => None,
        Layout::Two | Layout::Three => Some(
            "SELECT channel, conversation FROM session INDEXED BY session_with_effects
             WHERE effects > 0 AND (channel, conversation) > (?, ?) ORDER BY channel, conversation",
        ),
    };
    let by_effects = "SELECT channel, conversation FROM session NOT INDEXED
         WHERE id IN (SELECT session FROM effect) AND (channel, conversation) > (?, ?)
         ORDER BY channel, conversation";
    let listed = |statement: &str| list(on, statement, after, most, |columns| identity(columns, 0));
    let mut found: BTreeSet<SessionIdentity> = match (by_index.map(&listed), listed(by_effects)) {
        (Some(Ok(some)), Ok(others)) => some.into_iter().chain(others).collect(),
        (Some(Ok(some)), Err(_)) => some.into_iter().collect(),
        (Some(Err(_)) | None, others) => others?.into_iter().collect(),
    };
    while found.len() > most as usize {
        found.pop_last();
    }
    Ok(found.into_iter().collect())
}

/// Reads the sessions whose next timer is due, ordered by the instants at which these timers are due.
const DUE: &str = "
    SELECT channel, conversation FROM due INDEXED BY due_by_instant
    JOIN session ON session.id = due.session
    WHERE at <= ? ORDER BY at";

/// Returns the sessions whose next timer is due. A session whose name is damaged is skipped.
pub(super) fn due(on: &FileConnection, until: Instant, most: u32) -> Result<Vec<SessionIdentity>> {
    if on.layout < Layout::Three {
        return Ok(Vec::new());
    }
    let select = on.connection.prepare_cached(DUE)?;
    let until = params![rounded_down(until)];
    readable(select, until, most, |columns| identity(columns, 0))
}

/// Returns the instant at which the next timer of a session is due.
pub(super) fn due_at(on: &FileConnection, session: &SessionIdentity) -> Result<Option<Instant>> {
    if on.layout < Layout::Three {
        return Ok(None);
    }
    let Some(id) = find::id(on, session)? else {
        return Ok(None);
    };
    on.connection
        .prepare_cached("SELECT at FROM due WHERE session = ?")?
        .query_row([id], |columns| columns.get(0).map(instant_at))
        .optional()
}

pub(super) fn sessions(
    on: &FileConnection,
    after: Option<&SessionIdentity>,
    most: u32,
) -> Result<Vec<ListedSession>> {
    let (by_index, by_table) = match on.layout {
        Layout::One => (
            "SELECT channel, conversation, 
                    (SELECT coalesce(max(seq), 0) FROM entry WHERE entry.session = session.id), id
             FROM session WHERE (channel, conversation) > (?, ?) ORDER BY channel, conversation",
            None,
        ),
        Layout::Two | Layout::Three => (
            "SELECT channel, conversation, seq, id FROM session
             WHERE (channel, conversation) > (?, ?) ORDER BY channel, conversation",
            Some(
                "SELECT channel, conversation, seq, id FROM session NOT INDEXED
                 WHERE (channel, conversation) > (?, ?) ORDER BY channel, conversation",
            ),
        ),
    };
    let list = |statement: &str| list(on, statement, after, most, |columns| listed(on, columns));
    match (list(by_index), by_table) {
        (Err(_), Some(by_table)) => list(by_table),
        (found, _) => found,
    }
}

/// Lists sessions. A session whose name is damaged is skipped; [`lost::unlisted`](super::lost::unlisted) describes it.
fn list<T>(
    on: &FileConnection,
    statement: &str,
    after: Option<&SessionIdentity>,
    most: u32,
    read: impl Fn(&Columns<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let statement = on.connection.prepare_cached(statement)?;
    let (channel, conversation) =
        after.map_or(("", ""), |after| (after.channel(), after.conversation()));
    readable(statement, params![channel, conversation], most, read)
}

/// Reads a session of the list. If its row does not contain the number of the last entry, the entries are searched for
/// it.
fn listed(on: &FileConnection, columns: &Columns<'_>) -> Result<ListedSession> {
    let seq = match uint(columns, 2) {
        Ok(seq) if seq > 0 => seq,
        _ => last_number(&on.connection, columns.get(3)?)?,
    };
    Ok(ListedSession {
        session: identity(columns, 0)?,
        seq,
    })
}

/// Returns the number of the last entry that is stored, for a session whose row does not contain this number.
fn last_number(connection: &Connection, id: i64) -> Result<u64> {
    connection
        .prepare_cached("SELECT coalesce(max(seq), 0) FROM entry WHERE session = ? AND seq > 0")?
        .query_row([id], |columns| uint(columns, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(connection: &Connection, statement: &str) -> Vec<String> {
        let mut explain = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {statement}"))
            .expect("a valid statement");
        let unset = vec![rusqlite::types::Null; explain.parameter_count()];
        let plan = explain.query_map(rusqlite::params_from_iter(unset), |row| row.get(3));
        plan.expect("a query plan")
            .collect::<Result<_>>()
            .expect("a query plan")
    }

    #[test]
    fn open_effects_are_found_by_an_index_and_no_journal_is_scanned() {
        let connection = Connection::open_in_memory().expect("a database");
        crate::store::sqlite::layout::make(&connection, None).expect("the tables");
        for (statement, expected) in [
            (OPEN, "SEARCH effect USING PRIMARY KEY (session=?)"),
            (
                ENTRY,
                "SEARCH entry USING INDEX sqlite_autoindex_entry_1 (session=? AND seq=?)",
            ),
        ] {
            assert_eq!(plan(&connection, statement), [expected], "{statement}");
        }
    }

    #[test]
    fn the_last_answers_are_found_by_an_index_and_are_not_sorted() {
        let connection = Connection::open_in_memory().expect("a database");
        crate::store::sqlite::layout::make(&connection, None).expect("the tables");
        let expected = "SEARCH answer USING INDEX answer_by_seq (session=? AND seq>? AND seq<?)";
        assert_eq!(plan(&connection, LAST_ANSWERS), [expected]);
    }

    #[test]
    fn due_sessions_are_found_in_their_order_by_an_index_and_no_table_is_scanned() {
        let connection = Connection::open_in_memory().expect("a database");
        crate::store::sqlite::layout::make(&connection, None).expect("the tables");
        let expected = [
            "SEARCH due USING COVERING INDEX due_by_instant (at<?)",
            "SEARCH session USING INTEGER PRIMARY KEY (rowid=?)",
        ];
        assert_eq!(plan(&connection, DUE), expected);
    }
}
