//! Finding a session and the answer to a call. Where one is not found it is begun again, so "not there" must
//! not be the word of a single page: both are looked for in two indexes that share none.

use rusqlite::{Connection, OptionalExtension, Result, params};

use super::error::damaged;
use super::layout::Layout;
use super::numbers::uint;
use crate::identity::SessionIdentity;
use crate::store::Head;

/// A session of the file.
pub(super) struct Known {
    /// The number that represents it in the file.
    pub(super) id: i64,
    /// Its last entry.
    pub(super) head: Head,
    /// How many of its effects are open; the first layout does not say.
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
        || format!("the session {session} is not where its indexes say"),
    )
}

/// What two indexes say: a number each, where they have found one.
type Ways = [Option<i64>; 2];

/// What either way leads to. Where an index leads nowhere, or to something else, it is damaged, and the other
/// one is as good; but nothing is called absent before both say so.
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

/// The session of a number, if it is the one that is meant.
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

/// Of a file that cannot be written, and so is read as it is.
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

/// Finds the answer to a call: its number.
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
        format!("the answer to the call `{call_id}` is not where its indexes say")
    })
}
