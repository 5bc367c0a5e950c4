//! What is read.

use rusqlite::types::Type;
use rusqlite::{
    CachedStatement, Connection, Error, OptionalExtension, Params, Result, Row as Columns, params,
};

use crate::session::SessionIdentity;
use crate::store::{Given, Head, Listed, Pending, Place, Placed, Read, Row};

/// A number as `SQLite` has them.
pub(super) fn int(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|error| Error::ToSqlConversionFailure(Box::new(error)))
}

/// A bound of what is looked for; beyond what there can be, there is nothing.
pub(super) fn bound(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn uint(columns: &Columns<'_>, at: usize) -> Result<u64> {
    let number: i64 = columns.get(at)?;
    u64::try_from(number).map_err(|_| Error::IntegralValueOutOfRange(at, number))
}

/// Number, body and digest, from a column on.
fn row(columns: &Columns<'_>, at: usize) -> Result<Row> {
    Ok(Row {
        seq: uint(columns, at)?,
        body: columns.get(at + 1)?,
        digest: columns.get(at + 2)?,
    })
}

/// Channel and conversation, from a column on.
fn identity(columns: &Columns<'_>, at: usize) -> Result<SessionIdentity> {
    let (channel, conversation): (String, String) = (columns.get(at)?, columns.get(at + 1)?);
    SessionIdentity::existing(&channel, &conversation)
        .map_err(|error| Error::FromSqlConversionFailure(at, Type::Text, Box::new(error)))
}

fn given(columns: &Columns<'_>) -> Result<Given> {
    let row = row(columns, 1)?;
    Ok(Given {
        call_id: columns.get(0)?,
        seq: row.seq,
        body: row.body,
        digest: row.digest,
    })
}

fn all<T>(
    mut statement: CachedStatement<'_>,
    with: impl Params,
    read: impl FnMut(&Columns<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    statement.query_map(with, read)?.collect()
}

/// The number that stands for a session in the file.
pub(super) fn id_of(connection: &Connection, session: &SessionIdentity) -> Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM session WHERE channel = ? AND conversation = ?")?
        .query_row(
            params![session.channel(), session.conversation()],
            |columns| columns.get(0),
        )
        .optional()
}

/// The number that stands for a session in the file, and its last entry.
pub(super) fn known(
    connection: &Connection,
    session: &SessionIdentity,
) -> Result<Option<(i64, Head)>> {
    connection
        .prepare_cached(
            "SELECT session.id, entry.seq, entry.digest
             FROM session LEFT JOIN entry ON entry.session = session.id
             WHERE channel = ? AND conversation = ? ORDER BY entry.seq DESC LIMIT 1",
        )?
        .query_row(
            params![session.channel(), session.conversation()],
            |columns| {
                let seq: Option<i64> = columns.get(1)?;
                let head = Head {
                    seq: seq.map_or(Ok(0), |_| uint(columns, 1))?,
                    digest: columns.get(2)?,
                };
                Ok((columns.get(0)?, head))
            },
        )
        .optional()
}

pub(super) fn head(connection: &Connection, session: &SessionIdentity) -> Result<Head> {
    let known = known(connection, session)?;
    Ok(known.map(|(_, head)| head).unwrap_or_default())
}

/// Snapshot, the entry that it is bound to, and tail, of one moment.
pub(super) fn session(connection: &Connection, session: &SessionIdentity) -> Result<Read> {
    let moment = connection.unchecked_transaction()?;
    let Some((id, head)) = known(&moment, session)? else {
        return Ok(Read::default());
    };
    let snapshot = moment
        .prepare_cached("SELECT seq, body, digest FROM snapshot WHERE session = ?")?
        .query_row([id], |columns| row(columns, 0))
        .optional()?;
    let after = snapshot.as_ref().map_or(0, |snapshot| snapshot.seq);
    let base = moment
        .prepare_cached("SELECT digest FROM entry WHERE session = ? AND seq = ?")?
        .query_row(params![id, bound(after)], |columns| columns.get(0))
        .optional()?;
    let tail = rows(&moment, id, after, u32::MAX)?;
    Ok(Read {
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

pub(super) fn history(
    connection: &Connection,
    session: &SessionIdentity,
    after: u64,
    most: u32,
) -> Result<Vec<Row>> {
    match id_of(connection, session)? {
        Some(id) => rows(connection, id, after, most),
        None => Ok(Vec::new()),
    }
}

pub(super) fn everything(connection: &Connection, after: Place, most: u32) -> Result<Vec<Placed>> {
    let statement = connection.prepare_cached(
        "SELECT place, channel, conversation, seq, body, digest
         FROM entry JOIN session ON session.id = entry.session
         WHERE place > ? ORDER BY place LIMIT ?",
    )?;
    all(statement, params![bound(after.number), most], |columns| {
        Ok(Placed {
            place: Place {
                transaction: 0,
                number: uint(columns, 0)?,
            },
            session: identity(columns, 1)?,
            row: row(columns, 3)?,
        })
    })
}

pub(super) fn end(connection: &Connection) -> Result<Place> {
    let last = connection
        .prepare_cached("SELECT coalesce(max(place), 0) FROM entry")?
        .query_row([], |columns| uint(columns, 0))?;
    Ok(Place {
        transaction: 0,
        number: last,
    })
}

pub(super) fn answer(
    connection: &Connection,
    session: &SessionIdentity,
    call_id: &str,
) -> Result<Option<Given>> {
    let Some(id) = id_of(connection, session)? else {
        return Ok(None);
    };
    connection
        .prepare_cached(
            "SELECT call_id, seq, body, digest FROM answer WHERE session = ? AND call_id = ?",
        )?
        .query_row(params![id, call_id], given)
        .optional()
}

pub(super) fn answers(
    connection: &Connection,
    session: &SessionIdentity,
    from: u64,
    to: u64,
) -> Result<Vec<Given>> {
    let Some(id) = id_of(connection, session)? else {
        return Ok(Vec::new());
    };
    let statement = connection.prepare_cached(
        "SELECT call_id, seq, body, digest FROM answer
         WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY number",
    )?;
    all(statement, params![id, bound(from), bound(to)], given)
}

pub(super) fn pending(
    connection: &Connection,
    session: Option<&SessionIdentity>,
    most: u32,
) -> Result<Vec<Pending>> {
    let only = match session {
        None => None,
        Some(session) => match id_of(connection, session)? {
            Some(id) => Some(id),
            None => return Ok(Vec::new()),
        },
    };
    let statement = connection.prepare_cached(
        "SELECT channel, conversation, entry.seq, body, digest, group_concat(position)
         FROM effect
         JOIN entry ON entry.session = effect.session AND entry.seq = effect.seq
         JOIN session ON session.id = effect.session
         WHERE ?1 IS NULL OR effect.session = ?1
         GROUP BY place ORDER BY place LIMIT ?2",
    )?;
    all(statement, params![only, most], |columns| {
        let positions: String = columns.get(5)?;
        let mut positions: Vec<u32> = positions
            .split(',')
            .filter_map(|text| text.parse().ok())
            .collect();
        positions.sort_unstable();
        Ok(Pending {
            session: identity(columns, 0)?,
            row: row(columns, 2)?,
            positions,
        })
    })
}

pub(super) fn sessions(
    connection: &Connection,
    after: Option<&SessionIdentity>,
    most: u32,
) -> Result<Vec<Listed>> {
    let statement = connection.prepare_cached(
        "SELECT channel, conversation, (SELECT coalesce(max(seq), 0) FROM entry WHERE entry.session = session.id)
         FROM session WHERE (channel, conversation) > (?, ?) ORDER BY channel, conversation LIMIT ?",
    )?;
    let (channel, conversation) =
        after.map_or(("", ""), |after| (after.channel(), after.conversation()));
    all(statement, params![channel, conversation, most], |columns| {
        Ok(Listed {
            session: identity(columns, 0)?,
            seq: uint(columns, 2)?,
        })
    })
}
