//! Completes the new file: writes the rows of the sessions, including the records of their entries and effects.

use rusqlite::{Connection, OptionalExtension, Result, params};

use super::gather::GatheredRows;
use super::report::{SalvageReport, SalvagedSession};
use super::rows::{SessionRecord, SessionRow};
use crate::journal::Sender;
use crate::store::{MOST_ENTRIES, StoredAnswer};

/// Writes the rows of the sessions. If the log of the file lacks transactions, no session is known to be complete.
pub(super) fn all(
    mut gathered: GatheredRows<'_>,
    lacks_transactions: bool,
) -> Result<SalvageReport> {
    let connection = gathered.connection;
    let mut salvaged = SalvageReport {
        problems: gathered.settle_disputes()?,
        ..SalvageReport::default()
    };
    if lacks_transactions {
        salvaged.problems.push(
            "the log of the file is damaged; the last changes are lost, and any session may be affected"
                .to_owned(),
        );
    }
    for row in gathered.sessions.values() {
        let is_closed = lacks_transactions || gathered.incomplete.contains(&row.id);
        let record = record(connection, row, is_closed)?;
        put(connection, row, &record)?;
        if let Some(session) = gathered.identity(row.id) {
            let entries = number(connection, COUNT, row.id)?;
            // The record of a closed session names an entry that has never existed.
            let expected = u64::try_from(record.seq).unwrap_or(0) - u64::from(is_closed);
            salvaged.sessions.push(SalvagedSession {
                session,
                entries,
                lost: expected.saturating_sub(entries),
            });
        }
    }
    salvaged.problems.extend(altered_answers(&gathered)?);
    // The instants at which timers are due may be lost. A session that seems due is corrected when it is woken.
    connection.execute_batch("INSERT OR IGNORE INTO due SELECT id, 0 FROM session")?;
    connection.execute(
        "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'session'",
        [gathered.last_session],
    )?;
    Ok(salvaged)
}

/// Describes the answers whose digests do not match. Such an answer is copied, because without it the call could be made
/// again.
fn altered_answers(gathered: &GatheredRows<'_>) -> Result<Vec<String>> {
    let mut select = gathered
        .connection
        .prepare("SELECT session, call_id, seq, body, digest FROM answer ORDER BY number")?;
    let mut rows = select.query([])?;
    let mut altered = Vec::new();
    while let Some(row) = rows.next()? {
        let Some(session) = gathered.identity(row.get(0)?) else {
            continue;
        };
        let answer = StoredAnswer {
            call_id: row.get(1)?,
            seq: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0),
            body: row.get(3)?,
            digest: row.get(4)?,
        };
        if !answer.is_whole(&session) {
            altered.push(format!(
                "{session}: the answer to the call `{}` was altered; if the call is repeated, it fails and does not run again",
                Sender::id_in(&answer.call_id)
            ));
        }
    }
    Ok(altered)
}

const COUNT: &str = "SELECT count(*) FROM entry WHERE session = ?";

/// Returns the data that the row of a session records about its entries and effects.
fn record(connection: &Connection, row: &SessionRow, is_closed: bool) -> Result<SessionRecord> {
    let (last, head) = last_entry(connection, row.id)?;
    let mut record = match &row.record {
        Some(record) => record.clone(),
        None => SessionRecord {
            seq: last,
            head,
            effects: i64::try_from(number(connection, EFFECTS, row.id)?).unwrap_or(i64::MAX),
        },
    };
    if is_closed {
        let snapshot = number(connection, SNAPSHOT, row.id)?;
        let snapshot = i64::try_from(snapshot).unwrap_or(0);
        let known = [last, record.seq, snapshot];
        let known = known
            .into_iter()
            .filter(|seq| (0..MOST_ENTRIES).contains(seq));
        record.seq = known.max().unwrap_or(0) + 1;
        record.head = None;
    }
    Ok(record)
}

const EFFECTS: &str = "SELECT count(*) FROM effect WHERE session = ?";
const SNAPSHOT: &str = "SELECT coalesce(max(seq), 0) FROM snapshot WHERE session = ?";

fn number(connection: &Connection, select: &str, session: i64) -> Result<u64> {
    let mut select = connection.prepare_cached(select)?;
    let number: i64 = select.query_row([session], |row| row.get(0))?;
    Ok(u64::try_from(number).unwrap_or(0))
}

fn last_entry(connection: &Connection, session: i64) -> Result<(i64, Option<Vec<u8>>)> {
    let last = connection
        .prepare_cached(
            "SELECT seq, digest FROM entry WHERE session = ? ORDER BY seq DESC LIMIT 1",
        )?
        .query_row([session], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(last.unwrap_or((0, None)))
}

/// Writes the row of a session. If another session has its name, because one of the two names is damaged, the row gets
/// a name that no session has, so that the session is listed as damaged.
fn put(connection: &Connection, row: &SessionRow, record: &SessionRecord) -> Result<()> {
    let put = |channel: &str, conversation: &str| {
        connection
            .prepare_cached(
                "INSERT OR IGNORE INTO session(id, channel, conversation, seq, head, effects)
                 VALUES(?, ?, ?, ?, ?, ?)",
            )?
            .execute(params![
                row.id,
                channel,
                conversation,
                record.seq,
                record.head,
                record.effects
            ])
    };
    if put(&row.channel, &row.conversation)? == 0 {
        put("", &format!("session {} of the file", row.id))?;
    }
    Ok(())
}
