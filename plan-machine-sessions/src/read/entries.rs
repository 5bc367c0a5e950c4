//! Reads the entries of a store and checks them before they are used.

use std::collections::HashSet;

use crate::error::{SessionError, UnreadableReason};
use crate::identity::SessionIdentity;
use crate::journal::{Chain, Entry, Images, PlanImages, ReadError};
use crate::store::{Row, Store};

pub(crate) fn unreadable(session: &SessionIdentity, why: UnreadableReason) -> SessionError {
    SessionError::Unreadable {
        session: session.clone(),
        why,
    }
}

pub(crate) fn altered(row: &Row, problem: impl Into<String>) -> UnreadableReason {
    UnreadableReason::Altered {
        seq: row.seq,
        problem: problem.into(),
    }
}

/// Parses the next entry, which must directly follow the last entry that is included in `images`.
pub(crate) fn following(images: &Images, row: &Row) -> Result<(Chain, Entry), UnreadableReason> {
    let held = &images.snapshot;
    if row.seq > held.seq + 1 {
        return Err(UnreadableReason::Missing { seq: held.seq + 1 });
    }
    let (chain, entry) = next(held.chain, row, &images.past)?;
    if row.seq != held.seq + 1 || entry.seq != row.seq {
        let problem = format!(
            "expected entry number {}, found {} in the store and {} in the entry",
            held.seq + 1,
            row.seq,
            entry.seq
        );
        return Err(altered(row, problem));
    }
    Ok((chain, entry))
}

/// Parses the next entry of a chain. Also returns the chain after that entry.
pub(crate) fn next(
    chain: Chain,
    row: &Row,
    past: &PlanImages,
) -> Result<(Chain, Entry), UnreadableReason> {
    let chain = chain.onto(&row.body, row.digest);
    let chain = chain.map_err(|broken| altered(row, broken.to_string()))?;
    let entry = Entry::read_onto(&row.body, past).map_err(|why| misread(row, why))?;
    Ok((chain, entry))
}

pub(crate) fn misread(row: &Row, why: ReadError) -> UnreadableReason {
    match why {
        ReadError::Wrong(problem) => altered(row, problem),
        onto @ ReadError::Onto { .. } => altered(row, onto.to_string()),
        ReadError::Newer { found } => UnreadableReason::NewerFormat {
            seq: row.seq,
            found,
        },
    }
}

/// Parses consecutive entries from any position in a session. Each must follow the entry before it, so the entry before
/// the first one is read as well.
pub(crate) async fn entries(
    store: &dyn Store,
    session: &SessionIdentity,
    rows: &[Row],
) -> Result<Vec<Entry>, SessionError> {
    let unreadable = |why| unreadable(session, why);
    let Some(first) = rows.first() else {
        return Ok(Vec::new());
    };
    let mut chain = match first.seq.checked_sub(2) {
        None => Chain::start(session),
        Some(before) => {
            let last = store.history(session, before, 1).await?;
            let last = last.first().filter(|row| row.seq + 1 == first.seq);
            let missing = || unreadable(UnreadableReason::Missing { seq: before + 1 });
            Chain::at(last.ok_or_else(missing)?.digest)
        }
    };
    let mut entries = Vec::new();
    let mut past = PlanImages::default();
    for row in rows {
        let after = chain.onto(&row.body, row.digest);
        chain = after.map_err(|broken| unreadable(altered(row, broken.to_string())))?;
        let entry = alone(store, session, row, &mut past).await?;
        past.follow(&entry, row.body.len());
        entries.push(entry);
    }
    Ok(entries)
}

/// Parses an entry whose digest has been checked. If the entry contains changes to a plan, the entries that the changes
/// are based on are read first, unless `past` already contains the plan.
pub(crate) async fn alone(
    store: &dyn Store,
    session: &SessionIdentity,
    row: &Row,
    past: &mut PlanImages,
) -> Result<Entry, SessionError> {
    let mut needed = vec![row.clone()];
    let mut tried = HashSet::new();
    loop {
        let top = needed.last().unwrap_or(row);
        match Entry::read_onto(&top.body, past) {
            Ok(entry) if needed.len() <= 1 => return Ok(entry),
            Ok(entry) => {
                past.follow(&entry, top.body.len());
                needed.pop();
            }
            Err(ReadError::Onto { seq }) if seq < top.seq && tried.insert(seq) => {
                needed.push(checked(store, session, seq).await?);
            }
            Err(why) => return Err(unreadable(session, misread(top, why))),
        }
    }
}

/// Reads the entry with this number, and checks that it follows the entry before it.
async fn checked(
    store: &dyn Store,
    session: &SessionIdentity,
    seq: u64,
) -> Result<Row, SessionError> {
    let failed = |why| unreadable(session, why);
    let missing = |seq| failed(UnreadableReason::Missing { seq });
    let rows = store.history(session, seq.saturating_sub(2), 2).await?;
    let chain = match seq.checked_sub(1) {
        None => return Err(missing(seq)),
        Some(0) => Chain::start(session),
        Some(before) => {
            let before = rows.iter().find(|row| row.seq == before);
            Chain::at(before.ok_or_else(|| missing(seq - 1))?.digest)
        }
    };
    let row = rows.into_iter().find(|row| row.seq == seq);
    let row = row.ok_or_else(|| missing(seq))?;
    let whole = chain.onto(&row.body, row.digest);
    whole.map_err(|broken| failed(altered(&row, broken.to_string())))?;
    Ok(row)
}
