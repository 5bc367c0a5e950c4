//! Finds a session, or the answer to a call, in the file. A session or an answer that is not found is created, so a
//! single damaged page must not make an existing one appear missing. Therefore, each is looked up in two indexes, which
//! have no page in common.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Params, Result, params};

use super::connect::FileConnection;
use super::error::{damaged, damaged_index};
use super::layout::Layout;
use super::lost;
use crate::identity::SessionIdentity;
use crate::journal::{Digest, Sender};
use crate::store::Head;
use crate::store::lost::without_name;

/// The statements that look up a session, one for each of its indexes. An error in one does not affect the other.
const SESSION_INDEXES: [&str; 2] = [
    "SELECT id FROM session INDEXED BY sqlite_autoindex_session_1 WHERE channel = ?1 AND conversation = ?2",
    "SELECT id FROM session INDEXED BY session_by_conversation WHERE channel = ?1 AND conversation = ?2",
];

/// The statements that look up an answer, one for each of its indexes.
const ANSWER_INDEXES: [&str; 2] = [
    "SELECT number FROM answer INDEXED BY sqlite_autoindex_answer_1 WHERE session = ?1 AND call_id = ?2",
    "SELECT number FROM answer INDEXED BY answer_by_call WHERE session = ?1 AND call_id = ?2",
];

/// The statement that looks up an answer in the only index of the first layout.
const FIRST_ANSWER_INDEXES: [&str; 1] =
    ["SELECT number FROM answer WHERE session = ?1 AND call_id = ?2"];

/// A session that was found in the file.
pub(super) struct FoundSession {
    /// The number of the session in the file.
    pub(super) id: i64,
    /// The number and digest of the session's last entry.
    pub(super) head: Head,
    /// The number of the session's pending effects; `None` in the first layout, which does not record this number.
    pub(super) effects: Option<u64>,
}

/// The content of a session's row, without the name. Each value may be damaged.
struct Record {
    id: i64,
    seq: Value,
    head: Value,
    effects: Option<Value>,
}

/// Finds a session; `None` if it does not exist. If its row is damaged, or if its entries exist without a row, the
/// result is an error, so that the session does not start over.
pub(super) fn session(
    on: &FileConnection,
    session: &SessionIdentity,
) -> Result<Option<FoundSession>> {
    match record(on, session)? {
        Some(record) => record.known(session).map(Some),
        None => match lost::id(on, session)? {
            None => Ok(None),
            Some(_) => Err(damaged(without_name(session))),
        },
    }
}

/// Returns the number that a session has in the file, even if its row is damaged or missing, so that its entries can
/// still be read.
pub(super) fn id(on: &FileConnection, session: &SessionIdentity) -> Result<Option<i64>> {
    match record(on, session)? {
        Some(record) => Ok(Some(record.id)),
        None => lost::id(on, session),
    }
}

fn record(on: &FileConnection, session: &SessionIdentity) -> Result<Option<Record>> {
    let connection = &on.connection;
    if on.layout == Layout::One {
        return in_the_first_layout(connection, session);
    }
    either(
        ways(connection, session),
        |id| row_of(connection, id, session),
        || format!("the indexes of the session {session} do not refer to its row"),
    )
}

/// Looks up the row number of a session in each of two indexes.
pub(super) fn ways(
    connection: &Connection,
    session: &SessionIdentity,
) -> impl Iterator<Item = Way> {
    SESSION_INDEXES.iter().map(|select| {
        let named = params![session.channel(), session.conversation()];
        way(connection, select, named)
    })
}

fn way(connection: &Connection, select: &str, key: impl Params) -> Way {
    let mut select = connection.prepare_cached(select)?;
    select.query_row(key, |row| row.get(0)).optional()
}

impl Record {
    /// Returns the content of the row, or an error if one of its values is damaged.
    fn known(self, session: &SessionIdentity) -> Result<FoundSession> {
        let wrong = |what: &str| {
            damaged(format!(
                "the row of the session {session} is damaged: {what}"
            ))
        };
        let number = |value: &Value| match value {
            Value::Integer(number) => u64::try_from(*number).ok(),
            _ => None,
        };
        let seq = number(&self.seq);
        let digest = match &self.head {
            Value::Null => None,
            Value::Blob(bytes) => {
                let digest = Digest::try_from(&bytes[..]);
                Some(digest.map_err(|_| wrong("the digest of its last entry is not valid"))?)
            }
            _ => return Err(wrong("the digest of its last entry is not valid")),
        };
        let effects = self.effects.as_ref().map(|effects| {
            number(effects)
                .ok_or_else(|| wrong("the number of its pending effects is not a valid number"))
        });
        Ok(FoundSession {
            id: self.id,
            head: Head {
                seq: seq
                    .ok_or_else(|| wrong("the number of its last entry is not a valid number"))?,
                digest,
            },
            effects: effects.transpose()?,
        })
    }
}

/// The row number that an index contains; `None` if it does not contain the key.
pub(super) type Way = Result<Option<i64>>;

/// Returns the row that one of the indexes refers to. An index that cannot be read, or that refers to a missing or
/// different row, is damaged, and the other one is used. The row counts as missing only if no index contains it.
fn either<T>(
    ways: impl IntoIterator<Item = Way>,
    get: impl Fn(i64) -> Result<Option<T>>,
    lost: impl Fn() -> String,
) -> Result<Option<T>> {
    let mut problem = None;
    for way in ways {
        let found = match way {
            Ok(None) => continue,
            Ok(Some(id)) => get(id),
            Err(error) => Err(error),
        };
        match found {
            Ok(Some(found)) => return Ok(Some(found)),
            Ok(None) => problem = Some(damaged_index(lost())),
            Err(error) => problem = Some(error),
        }
    }
    problem.map_or(Ok(None), Err)
}

/// Returns the session with this number, if its row contains the right identity.
fn row_of(connection: &Connection, id: i64, session: &SessionIdentity) -> Result<Option<Record>> {
    connection
        .prepare_cached(
            "SELECT seq, head, effects FROM session NOT INDEXED
             WHERE id = ?1 AND channel = ?2 AND conversation = ?3",
        )?
        .query_row(
            params![id, session.channel(), session.conversation()],
            |columns| {
                Ok(Record {
                    id,
                    seq: columns.get(0)?,
                    head: columns.get(1)?,
                    effects: Some(columns.get(2)?),
                })
            },
        )
        .optional()
}

/// Finds a session in a file with the first layout. Such a file is not writable; otherwise, it would have been
/// migrated.
fn in_the_first_layout(
    connection: &Connection,
    session: &SessionIdentity,
) -> Result<Option<Record>> {
    connection
        .prepare_cached(
            "SELECT session.id, coalesce(entry.seq, 0), entry.digest
             FROM session LEFT JOIN entry ON entry.session = session.id
             WHERE channel = ? AND conversation = ? ORDER BY entry.seq DESC LIMIT 1",
        )?
        .query_row(
            params![session.channel(), session.conversation()],
            |columns| {
                Ok(Record {
                    id: columns.get(0)?,
                    seq: columns.get(1)?,
                    head: columns.get(2)?,
                    effects: None,
                })
            },
        )
        .optional()
}

/// Finds the row number of the answer to a call.
pub(super) fn answer(
    connection: &Connection,
    layout: Layout,
    session: i64,
    call_id: &str,
) -> Result<Option<i64>> {
    let selects = match layout {
        Layout::One => &FIRST_ANSWER_INDEXES[..],
        Layout::Two | Layout::Three => &ANSWER_INDEXES,
    };
    let ways = selects.iter();
    let ways = ways.map(|select| way(connection, select, params![session, call_id]));
    let is_it = |number| {
        let mut row = connection.prepare_cached(
            "SELECT number FROM answer NOT INDEXED
             WHERE number = ?1 AND session = ?2 AND call_id = ?3",
        )?;
        let row = row.query_row(params![number, session, call_id], |row| row.get(0));
        row.optional()
    };
    either(ways, is_it, || {
        let id = Sender::id_in(call_id);
        format!("the indexes of the answer to the call `{id}` do not refer to its row")
    })
}
