//! Finds a session and the answer to a call. Either is started again if it is not found, so a single page must not
//! decide that it does not exist: both are looked up in two indexes that share no page.

use rusqlite::{Connection, OptionalExtension, Result, params};

use super::error::damaged;
use super::layout::Layout;
use super::numbers::uint;
use crate::identity::SessionIdentity;
use crate::store::Head;

/// A session of the file.
pub(super) struct Known {
    /// Its number in the file.
    pub(super) id: i64,
    /// Its last entry.
    pub(super) head: Head,
    /// The number of its pending effects, which the first layout does not record.
    pub(super) effects: Option<u64>,
}

/// Finds a session.
pub(super) fn session(
    connection: &Connection,
    layout: Layout,
    session: &SessionIdentity,
) -> Result<Option<Known>> {
    if layout == Layout::One {
        return in_the_first_layout(connection, session);
    }
    let mut both = connection.prepare_cached(
        "SELECT (SELECT id FROM session INDEXED BY sqlite_autoindex_session_1
                 WHERE channel = ?1 AND conversation = ?2),
                (SELECT id FROM session INDEXED BY session_by_conversation
                 WHERE channel = ?1 AND conversation = ?2)",
    )?;
    let named = params![session.channel(), session.conversation()];
    let both: Ways = both.query_row(named, |row| Ok([row.get(0)?, row.get(1)?]))?;
    either(
        both,
        |id| row_of(connection, id, session),
        || format!("the session {session} is not where its indexes point"),
    )
}

/// The results of two indexes: a number each, if found.
type Ways = [Option<i64>; 2];

/// Returns the row that either index refers to. If the reference is dangling, or refers to a different row, that index
/// is damaged, and the other one is used; but a row counts as absent only if neither index has it.
fn either<T>(
    ways: Ways,
    get: impl Fn(i64) -> Result<Option<T>>,
    lost: impl FnOnce() -> String,
) -> Result<Option<T>> {
    for id in ways.into_iter().flatten() {
        if let Some(found) = get(id)? {
            return Ok(Some(found));
        }
    }
    match ways {
        [None, None] => Ok(None),
        _ => Err(damaged(lost())),
    }
}

/// Returns the session with this number, if it is the right one.
fn row_of(connection: &Connection, id: i64, session: &SessionIdentity) -> Result<Option<Known>> {
    connection
        .prepare_cached(
            "SELECT seq, head, effects FROM session NOT INDEXED
             WHERE id = ?1 AND channel = ?2 AND conversation = ?3",
        )?
        .query_row(
            params![id, session.channel(), session.conversation()],
            |columns| {
                let head = Head {
                    seq: uint(columns, 0)?,
                    digest: columns.get(1)?,
                };
                let effects = Some(uint(columns, 2)?);
                Ok(Known { id, head, effects })
            },
        )
        .optional()
}

/// Finds a session in a file that is not writable, and is therefore still in the first layout.
fn in_the_first_layout(
    connection: &Connection,
    session: &SessionIdentity,
) -> Result<Option<Known>> {
    connection
        .prepare_cached(
            "SELECT session.id, coalesce(entry.seq, 0), entry.digest
             FROM session LEFT JOIN entry ON entry.session = session.id
             WHERE channel = ? AND conversation = ? ORDER BY entry.seq DESC LIMIT 1",
        )?
        .query_row(
            params![session.channel(), session.conversation()],
            |columns| {
                Ok(Known {
                    id: columns.get(0)?,
                    head: Head {
                        seq: uint(columns, 1)?,
                        digest: columns.get(2)?,
                    },
                    effects: None,
                })
            },
        )
        .optional()
}

/// Finds the number of the answer to a call.
pub(super) fn answer(
    connection: &Connection,
    layout: Layout,
    session: i64,
    call_id: &str,
) -> Result<Option<i64>> {
    let statement = match layout {
        Layout::One => {
            "SELECT number, number FROM (SELECT 1)
             LEFT JOIN answer ON session = ?1 AND call_id = ?2"
        }
        Layout::Two => {
            "SELECT (SELECT number FROM answer INDEXED BY sqlite_autoindex_answer_1
                     WHERE session = ?1 AND call_id = ?2),
                    (SELECT number FROM answer INDEXED BY answer_by_call
                     WHERE session = ?1 AND call_id = ?2)"
        }
    };
    let of = params![session, call_id];
    let mut both = connection.prepare_cached(statement)?;
    let both: Ways = both.query_row(of, |row| Ok([row.get(0)?, row.get(1)?]))?;
    let is_it = |number| {
        let mut row = connection.prepare_cached(
            "SELECT number FROM answer NOT INDEXED
             WHERE number = ?1 AND session = ?2 AND call_id = ?3",
        )?;
        let row = row.query_row(params![number, session, call_id], |row| row.get(0));
        row.optional()
    };
    either(both, is_it, || {
        format!("the answer to the call `{call_id}` is not where its indexes point")
    })
}
