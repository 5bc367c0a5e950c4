//! The changes to a file: each change runs in a transaction that excludes other writers.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::connect::FileConnection;
use super::find::{self, FoundSession};
use super::layout::Layout;
use super::numbers::{bound, int};
use super::work::DataChange;
use crate::identity::SessionIdentity;
use crate::journal::Digest;
use crate::store::due::rounded_up;
use crate::store::{Commit, Head, NextDue, Row};

/// Writes a commit that consists of a single entry, which is the most common kind of commit. Only one statement is
/// needed, so there is no explicit transaction.
///
/// Returns `false`, and changes nothing, if the commit is of another kind, or if the session's last entry is not the
/// one that the commit expects.
pub(super) fn follow(connection: &Connection, commit: &Commit) -> rusqlite::Result<bool> {
    let Some((row, after)) = only_entry(commit) else {
        return Ok(false);
    };
    // If the last entry is not the expected one, the subquery returns null, and `OR IGNORE` skips a row without a
    // session. `OR IGNORE` also skips a row whose number is already in use.
    let mut insert = connection.prepare_cached(
        "INSERT OR IGNORE INTO entry(session, seq, body, digest) VALUES((
             SELECT id FROM session
             WHERE channel = ?1 AND conversation = ?2 AND seq = ?3 - 1 AND head = ?4
         ), ?3, ?5, ?6)",
    )?;
    let inserted = insert.execute(params![
        commit.session.channel(),
        commit.session.conversation(),
        int(row.seq)?,
        after,
        row.body,
        row.digest,
    ])?;
    Ok(inserted == 1)
}

/// Returns the entry of a commit that consists of a single entry, and the digest of the entry that it must follow;
/// `None` if the commit contains anything else.
fn only_entry(commit: &Commit) -> Option<(&Row, Digest)> {
    let [row] = &commit.rows[..] else { return None };
    let alone = commit.effects.is_empty()
        && commit.answers.is_empty()
        && commit.snapshot.is_none()
        && commit.due == NextDue::Unchanged;
    let follows = row.seq.checked_sub(1) == Some(commit.expected);
    commit
        .after
        .filter(|_| alone && follows)
        .map(|after| (row, after))
}

/// Stores a commit if the session's last entry is the expected one. All conditions are checked before anything is
/// written, so that a conflict changes nothing.
pub(super) fn append(on: &FileConnection, commit: &Commit) -> rusqlite::Result<DataChange> {
    let connection = &on.connection;
    let (id, head) = match find::session(on, &commit.session)? {
        Some(known) => (Some(known.id), known.head),
        None => (None, Head::default()),
    };
    if id.is_none() && commit.expected > 0 {
        // The session was deleted, or its row was lost, while it was in use. The next read of the session finds out
        // which of the two has happened.
        on.lost.forget();
    }
    let is_another = commit.after.is_some_and(|after| head.digest != Some(after));
    if head.seq != commit.expected || is_another || is_answered(connection, id, commit)? {
        return Ok(DataChange::No);
    }
    let id = match id {
        Some(id) => id,
        None => begin(connection, &commit.session)?,
    };
    put(connection, id, commit)?;
    Ok(DataChange::Yes)
}

/// Returns whether a call that the commit answers already has an answer, or is answered twice in the commit.
fn is_answered(
    connection: &Connection,
    id: Option<i64>,
    commit: &Commit,
) -> rusqlite::Result<bool> {
    if commit.answers.is_empty() {
        return Ok(false);
    }
    let mut new = HashSet::new();
    for answer in &commit.answers {
        let given = match id {
            None => None,
            Some(id) => find::answer(connection, Layout::CURRENT, id, &answer.call_id)?,
        };
        if !new.insert(&answer.call_id) || given.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn begin(connection: &Connection, session: &SessionIdentity) -> rusqlite::Result<i64> {
    let mut begin =
        connection.prepare_cached("INSERT INTO session(channel, conversation) VALUES(?, ?)")?;
    begin.insert(params![session.channel(), session.conversation()])
}

fn put(connection: &Connection, id: i64, commit: &Commit) -> rusqlite::Result<()> {
    for row in &commit.rows {
        connection
            .prepare_cached("INSERT INTO entry(session, seq, body, digest) VALUES(?, ?, ?, ?)")?
            .execute(params![id, int(row.seq)?, row.body, row.digest])?;
    }
    for (seq, position) in &commit.effects {
        connection
            .prepare_cached("INSERT INTO effect(session, seq, position) VALUES(?, ?, ?)")?
            .execute(params![id, int(*seq)?, position])?;
    }
    for answer in &commit.answers {
        connection
            .prepare_cached(
                "INSERT INTO answer(session, call_id, seq, body, digest) VALUES(?, ?, ?, ?, ?)",
            )?
            .execute(params![
                id,
                answer.call_id,
                int(answer.seq)?,
                answer.body,
                answer.digest
            ])?;
    }
    if let Some(row) = &commit.snapshot {
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO snapshot(session, seq, body, digest) VALUES(?, ?, ?, ?)",
            )?
            .execute(params![id, int(row.seq)?, row.body, row.digest])?;
    }
    set_due(connection, id, commit.due)
}

/// Records when the next timer of a session is due.
fn set_due(connection: &Connection, id: i64, due: NextDue) -> rusqlite::Result<()> {
    let changed = match due {
        NextDue::Unchanged => return Ok(()),
        NextDue::At(at) => connection
            .prepare_cached("INSERT OR REPLACE INTO due(session, at) VALUES(?, ?)")?
            .execute(params![id, rounded_up(at)]),
        NextDue::Never => connection
            .prepare_cached("DELETE FROM due WHERE session = ?")?
            .execute([id]),
    };
    changed.map(drop)
}

/// Settles one effect of a session, or all its effects if `one` is `None`.
pub(super) fn settle(
    on: &FileConnection,
    session: &SessionIdentity,
    one: Option<(u64, u32)>,
) -> rusqlite::Result<DataChange> {
    let connection = &on.connection;
    let Some(FoundSession { id, .. }) = find::session(on, session)? else {
        return Ok(DataChange::No);
    };
    let settled = match one {
        Some((seq, position)) => connection
            .prepare_cached("DELETE FROM effect WHERE session = ? AND seq = ? AND position = ?")?
            .execute(params![id, bound(seq), position])?,
        None => settle_all(connection, id)?,
    };
    Ok(if settled == 0 {
        DataChange::No
    } else {
        DataChange::Yes
    })
}

/// Settles all effects of a session. The session's count of effects is set to 0 explicitly, because it is too high if
/// rows were lost.
fn settle_all(connection: &Connection, id: i64) -> rusqlite::Result<usize> {
    connection
        .prepare_cached("DELETE FROM effect WHERE session = ?")?
        .execute([id])?;
    connection
        .prepare_cached("UPDATE session SET effects = 0 WHERE id = ?")?
        .execute([id])
}

/// Deletes a session with all its data, even if the session is damaged.
pub(super) fn delete(
    on: &FileConnection,
    session: &SessionIdentity,
) -> rusqlite::Result<DataChange> {
    let connection = &on.connection;
    let Some(id) = find::id(on, session)? else {
        return Ok(DataChange::No);
    };
    // Watchers rely on the rule that no position is used twice. A new entry gets the position after the last one, so an
    // empty row reserves the last position.
    connection.execute_batch(
        "INSERT INTO entry(session, seq, body, digest) SELECT 0, coalesce(max(place), 0) + 1, '', x'' FROM entry",
    )?;
    for delete in [
        "DELETE FROM entry WHERE session = 0 AND place < (SELECT max(place) FROM entry)",
        "DELETE FROM effect WHERE session = ?1",
        "DELETE FROM answer WHERE session = ?1",
        "DELETE FROM snapshot WHERE session = ?1",
        "DELETE FROM due WHERE session = ?1",
        "DELETE FROM entry WHERE session = ?1",
        "DELETE FROM session WHERE id = ?1",
    ] {
        let mut delete = connection.prepare_cached(delete)?;
        let with: &[i64] = if delete.parameter_count() == 0 {
            &[]
        } else {
            &[id]
        };
        delete.execute(rusqlite::params_from_iter(with))?;
    }
    Ok(DataChange::Yes)
}
