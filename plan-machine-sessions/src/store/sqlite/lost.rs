//! Finds the sessions in a file whose entries exist, but whose row is missing, has an invalid name, or has the name of
//! another session.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::connect::FileConnection;
use super::numbers::{lossy_digest, lossy_text};
use crate::identity::SessionIdentity;
use crate::journal::Snapshot;
use crate::store::UnlistedSession;
use crate::store::lost::{LostEntry, id_among};

/// Lists the sessions that have entries, with their names. Each step finds the next session in an index, so the entries
/// of a session are not read.
const WITH_ENTRIES: &str = "
    WITH RECURSIVE kept(id) AS (
      SELECT min(session) FROM entry WHERE session > 0
      UNION ALL
      SELECT (SELECT min(session) FROM entry WHERE session > kept.id) FROM kept WHERE kept.id IS NOT NULL
    )
    SELECT kept.id, session.channel, session.conversation
    FROM kept LEFT JOIN session ON session.id = kept.id WHERE kept.id IS NOT NULL";

/// A session that has entries.
struct SessionWithEntries {
    id: i64,
    name: Result<SessionIdentity, Nameless>,
}

/// Why a session cannot be found by its name.
struct Nameless {
    /// The damaged name; `None` if the row is missing.
    name: Option<String>,
    problem: String,
}

/// Returns the number of a session that was not found by its name; `None` if the file does not contain a first entry of
/// this session either.
pub(super) fn id(on: &FileConnection, session: &SessionIdentity) -> Result<Option<i64>> {
    if on.lost.may_be(session) == Some(false) {
        return Ok(None);
    }
    // The lost sessions that were found earlier may have been repaired or deleted in the meantime.
    let found = first_entries(&on.connection)?;
    let id = id_among(&found, session);
    on.lost.remember(found);
    Ok(id)
}

/// Describes the sessions that cannot be found by their names.
pub(super) fn unlisted(on: &FileConnection) -> Result<Vec<UnlistedSession>> {
    let connection = &on.connection;
    let mut all = Vec::new();
    for SessionWithEntries { id, name } in kept(connection)? {
        let Err(Nameless { name, problem }) = name else {
            continue;
        };
        let entries: i64 = connection
            .prepare_cached("SELECT count(*) FROM entry WHERE session = ?")?
            .query_row([id], |row| row.get(0))?;
        all.push(UnlistedSession {
            name: name.unwrap_or_else(|| format!("session {id} of the file")),
            entries: u64::try_from(entries).unwrap_or_default(),
            problem,
            identity: name_in_snapshot(connection, id)?,
        });
    }
    Ok(all)
}

/// Returns the identity that the snapshot of a session contains.
fn name_in_snapshot(connection: &Connection, id: i64) -> Result<Option<SessionIdentity>> {
    let body: Option<String> = connection
        .prepare_cached("SELECT body FROM snapshot WHERE session = ?")?
        .query_row([id], |row| lossy_text(row, 0))
        .optional()?;
    let snapshot = body.and_then(|body| Snapshot::read(&body).ok());
    Ok(snapshot.and_then(|snapshot| snapshot.session?.parse().ok()))
}

fn kept(connection: &Connection) -> Result<Vec<SessionWithEntries>> {
    let mut all = Vec::new();
    let mut select = connection.prepare_cached(WITH_ENTRIES)?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let text = match (row.get_ref(1)?, row.get_ref(2)?) {
            (ValueRef::Null, ValueRef::Null) => None,
            _ => Some(format!("{}:{}", lossy_text(row, 1)?, lossy_text(row, 2)?)),
        };
        let name = match (row.get::<_, String>(1), row.get::<_, String>(2)) {
            _ if text.is_none() => {
                Err("the row with the name of the session is missing".to_owned())
            }
            (Ok(channel), Ok(conversation)) => SessionIdentity::existing(&channel, &conversation)
                .map_err(|invalid| format!("the name of the session is damaged: {invalid}")),
            _ => Err("the name of the session is damaged: it is not valid UTF-8".to_owned()),
        };
        let id = row.get(0)?;
        let name = name.map_err(|problem| Nameless {
            name: text,
            problem,
        });
        all.push(SessionWithEntries { id, name });
    }
    Ok(all)
}

/// Returns whether the first entry of the session with this number belongs to the session with this identity.
pub(super) fn is_of(connection: &Connection, id: i64, session: &SessionIdentity) -> Result<bool> {
    let first = first_entry(connection, id)?;
    Ok(first.is_some_and(|first| id_among(&[first], session).is_some()))
}

/// Returns the first entries of the sessions that cannot be found by their names. A damaged name may happen to be the
/// valid name of another session; only the first entry shows this.
fn first_entries(connection: &Connection) -> Result<Vec<LostEntry>> {
    let mut all = Vec::new();
    for SessionWithEntries { id, name } in kept(connection)? {
        let first = first_entry(connection, id);
        match name {
            Err(_) => all.extend(first?),
            // If the entry of a named session cannot be read, the damage is its own, and other sessions can start.
            Ok(name) => all.extend(first.ok().flatten().filter(|first| !first.is_of(&name))),
        }
    }
    Ok(all)
}

/// Returns the first entry of the session with this number.
fn first_entry(connection: &Connection, id: i64) -> Result<Option<LostEntry>> {
    connection
        .prepare_cached("SELECT body, digest FROM entry WHERE session = ? AND seq = 1")?
        .query_row(params![id], |row| {
            Ok(LostEntry {
                id,
                body: lossy_text(row, 0)?,
                digest: lossy_digest(row, 1)?,
            })
        })
        .optional()
}
