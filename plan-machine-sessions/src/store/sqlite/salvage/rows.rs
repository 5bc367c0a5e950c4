//! Recognizes the rows of a store by their values. A page does not say which table it belongs to, and its parent pages
//! may be damaged.

use rusqlite::types::Value::{self, Blob, Integer, Null, Text};

use super::tree::TreeRow;
use crate::journal::Digest;

/// A row of one of the tables.
pub(super) enum StoredRow {
    Session(SessionRow),
    Entry(EntryRow),
    /// The session, and the values of the row.
    Snapshot(i64, Vec<Value>),
    /// The number of the answer, and the values of the row.
    Answer(i64, Vec<Value>),
    /// The session, and when its next timer is due.
    Due(i64, i64),
    /// The highest number that a session has had.
    LastSession(i64),
    /// The name and the root page of a table or an index.
    Definition(String, u32),
}

/// The row of a session.
#[derive(Clone, Debug)]
pub(super) struct SessionRow {
    pub(super) id: i64,
    pub(super) channel: String,
    pub(super) conversation: String,
    /// The record of the session's entries and effects; `None` in the first layout, which has no such record, or if
    /// only the name of the session was found.
    pub(super) record: Option<SessionRecord>,
}

/// The number and digest of a session's last entry, and the number of its pending effects.
#[derive(Clone, Debug)]
pub(super) struct SessionRecord {
    pub(super) seq: i64,
    pub(super) head: Option<Vec<u8>>,
    pub(super) effects: i64,
}

/// The row of an entry.
#[derive(Clone, Debug)]
pub(super) struct EntryRow {
    pub(super) place: i64,
    pub(super) session: i64,
    pub(super) seq: i64,
    pub(super) body: String,
    pub(super) digest: Vec<u8>,
}

/// Recognizes a row; `None` if no table of a store has such a row.
pub(super) fn recognized(row: TreeRow) -> Option<StoredRow> {
    let TreeRow { number, values } = row;
    Some(match &values[..] {
        // SQLite does not store the rowid among the values of a row, so the primary key is `Null` here.
        [
            Null,
            Text(channel),
            Text(conversation),
            Integer(seq),
            head,
            Integer(effects),
        ] => StoredRow::Session(SessionRow {
            id: number,
            channel: channel.clone(),
            conversation: conversation.clone(),
            record: Some(SessionRecord {
                seq: *seq,
                head: match head {
                    Null => None,
                    Blob(head) => Some(head.clone()),
                    _ => return None,
                },
                effects: *effects,
            }),
        }),
        [Null, Text(channel), Text(conversation)] => StoredRow::Session(SessionRow {
            id: number,
            channel: channel.clone(),
            conversation: conversation.clone(),
            record: None,
        }),
        [
            Null,
            Integer(session),
            Integer(seq),
            Text(body),
            Blob(digest),
        ] if is_digest(digest) || *session == 0 => StoredRow::Entry(EntryRow {
            place: number,
            session: *session,
            seq: *seq,
            body: body.clone(),
            digest: digest.clone(),
        }),
        [Null, Integer(_), Text(_), Blob(digest)] if is_digest(digest) => {
            StoredRow::Snapshot(number, values)
        }
        [Null, Integer(_), Text(_), Integer(_), Text(_), Blob(digest)] if is_digest(digest) => {
            StoredRow::Answer(number, values)
        }
        [Null, Integer(at)] => StoredRow::Due(number, *at),
        [Text(table), Integer(last)] if table == "session" => StoredRow::LastSession(*last),
        [Text(_), Text(name), Text(_), Integer(page), Text(_) | Null] => {
            StoredRow::Definition(name.clone(), u32::try_from(*page).ok()?)
        }
        _ => return None,
    })
}

fn is_digest(bytes: &[u8]) -> bool {
    Digest::try_from(bytes).is_ok()
}
