//! Corrects what a file records about a session besides its entries: its row, and the numbers of its entries.
//!
//! A damaged session is restarted with a new entry, whose number must be higher than that of every entry that the
//! session has or had. The repair finds this number without using the damaged values, and keeps every entry.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::connect::FileConnection;
use super::find;
use super::lost;
use super::numbers::lossy_digest;
use super::work::DataChange;
use crate::identity::SessionIdentity;
use crate::journal::Digest;
use crate::store::MOST_ENTRIES;

/// The last stored entry of a session.
#[derive(Default)]
struct Last {
    seq: i64,
    digest: Option<Digest>,
}

/// Corrects the row of a session and the numbers of its entries.
pub(super) fn session(on: &FileConnection, session: &SessionIdentity) -> Result<DataChange> {
    let connection = &on.connection;
    // An index that contradicts the rows would make every change of a row fail. If two rows have the same name, the
    // indexes cannot be rebuilt, and the session is looked up with the existing indexes.
    let referred: Vec<i64> = find::ways(connection, session)
        .filter_map(|way| way.ok().flatten())
        .collect();
    let _ = connection.execute_batch("REINDEX session");
    let Some(id) = number_of(on, session, &referred)? else {
        return Ok(DataChange::No);
    };
    name(connection, id, session)?;
    number_again(connection, id)?;
    let last = last(connection, id)?;
    let (seq, digest) = head(connection, id, &last)?;
    connection.execute(
        "UPDATE session SET seq = ?2, head = ?3,
             effects = (SELECT count(*) FROM effect WHERE session = ?1)
         WHERE id = ?1",
        params![id, seq, digest],
    )?;
    on.lost.forget();
    Ok(DataChange::Yes)
}

/// Finds the number of a session in the file: by its name, by the entries of a lost session, or among `referred`, the
/// numbers that the indexes contained for the name.
fn number_of(
    on: &FileConnection,
    session: &SessionIdentity,
    referred: &[i64],
) -> Result<Option<i64>> {
    on.lost.forget();
    if let Ok(Some(id)) = find::id(on, session) {
        return Ok(Some(id));
    }
    for &id in referred {
        if lost::is_of(&on.connection, id, session)? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Gives the row of a session its name; creates the row if it is missing.
fn name(connection: &Connection, id: i64, session: &SessionIdentity) -> Result<()> {
    let named = params![id, session.channel(), session.conversation()];
    connection.execute(
        "INSERT INTO session(id, channel, conversation) VALUES(?1, ?2, ?3)
         ON CONFLICT(id) DO UPDATE SET channel = ?2, conversation = ?3
         WHERE (channel, conversation) <> (?2, ?3)",
        named,
    )?;
    Ok(())
}

/// Renumbers those entries of a session that have damaged numbers, that is, numbers out of range. They get the next
/// numbers after the other entries; otherwise, no entry could follow them.
fn number_again(connection: &Connection, id: i64) -> Result<()> {
    let mut select = connection.prepare(
        "SELECT place FROM entry WHERE session = ?1 AND (seq < 1 OR seq > ?2) ORDER BY place",
    )?;
    let places = select.query_map(params![id, MOST_ENTRIES], |row| row.get(0))?;
    let places: Vec<i64> = places.collect::<Result<_>>()?;
    for place in places {
        let next = last(connection, id)?.seq + 1;
        connection.execute(
            "UPDATE entry SET seq = ?1 WHERE place = ?2",
            params![next, place],
        )?;
    }
    Ok(())
}

fn last(connection: &Connection, id: i64) -> Result<Last> {
    let last = connection
        .prepare_cached(
            "SELECT seq, digest FROM entry WHERE session = ?1 AND seq BETWEEN 1 AND ?2
             ORDER BY seq DESC LIMIT 1",
        )?
        .query_row(params![id, MOST_ENTRIES], |row| {
            Ok(Last {
                seq: row.get(0)?,
                digest: Some(lossy_digest(row, 1)?),
            })
        })
        .optional()?;
    Ok(last.unwrap_or_default())
}

/// Returns the number and digest of the last entry that the session has or had: entries may be missing at the end, and
/// their numbers must not be used again.
fn head(connection: &Connection, id: i64, last: &Last) -> Result<(i64, Option<Digest>)> {
    let (row, head, snapshot): (Value, Value, Value) = connection.query_row(
        "SELECT seq, head, (SELECT seq FROM snapshot WHERE snapshot.session = session.id)
         FROM session NOT INDEXED WHERE id = ?1",
        [id],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    )?;
    let number = |value: &Value| match value {
        Value::Integer(number) if (0..=MOST_ENTRIES).contains(number) => *number,
        _ => 0,
    };
    let seq = last.seq.max(number(&row)).max(number(&snapshot));
    let recorded = match head {
        Value::Blob(bytes) if number(&row) == seq && seq > last.seq => bytes.try_into().ok(),
        _ => None,
    };
    Ok((seq, recorded.or(last.digest)))
}
