//! Laws about snapshots: a snapshot is bound to its session and to the last entry that it includes.

use super::kit::{Broken, LawResult, Tried, empty, entries, fresh, row, same, stored};
use crate::error::{SessionError, UnreadableReason};
use crate::identity::SessionIdentity;
use crate::journal::{Chain, MachineSnapshot, Snapshot};
use crate::store::{Commit, Row};
use plan_machine::machine::StoredPlans;

pub(super) async fn with_their_entries(store: Tried) -> LawResult {
    let session = fresh()?;
    let commit = entries(&session, 0, &["one", "two", "three", "four"]);
    stored(&store, "four entries", commit).await?;
    for seq in [2, 4, 1] {
        let commit = Commit {
            snapshot: Some(row(seq, "a snapshot")),
            ..empty(&session, 4)
        };
        stored(&store, "a snapshot whose last entry exists", commit).await?;
        let read = store.read(&session).await?;
        let history = store.history(&session, seq - 1, 1).await?;
        let digest = history.first().map(|row| row.digest);
        same("the digest of the snapshot's entry", &read.base, &digest)?;
        same(
            "the number and digest of the last entry",
            &read.head,
            &store.head(&session).await?,
        )?;
        same(
            "the number of entries after the snapshot",
            &read.tail.len(),
            &after(seq),
        )?;
    }
    let commit = Commit {
        snapshot: Some(row(9, "a snapshot")),
        ..empty(&session, 4)
    };
    stored(&store, "a snapshot whose last entry is missing", commit).await?;
    let read = store.read(&session).await?;
    same("the digest of a missing entry", &read.base, &None)?;
    same("the number of the last entry", &read.head.seq, &4)
}

fn after(seq: u64) -> usize {
    usize::try_from(4 - seq).unwrap_or_default()
}

/// Creates a session whose journal has `many` valid entries and a snapshot after the last one.
async fn begun(store: &Tried, state: &str, many: u64) -> Result<(SessionIdentity, Row), Broken> {
    let session = fresh()?;
    let mut chain = Chain::start(&session);
    let mut rows = Vec::new();
    for seq in 1..=many {
        let body = format!(
            "{{\"format\":3,\"seq\":{seq},\"at\":\"2026-01-01T00:00:00Z\",\"machine\":\"Law\",\"version\":1,\
             \"fingerprint\":\"\",\"do\":\"{state}\",\"plans\":[],\"effects\":[],\"reply\":null}}"
        );
        chain = chain.then(&body);
        rows.push(Row {
            seq,
            body,
            digest: chain.digest(),
        });
    }
    let snapshot = bound(&session, many, chain, state);
    let commit = Commit {
        rows,
        snapshot: Some(snapshot.clone()),
        ..empty(&session, 0)
    };
    stored(store, "entries with a snapshot", commit).await?;
    Ok((session, snapshot))
}

/// Returns a snapshot that can be recognized by the name of its machine.
fn bound(session: &SessionIdentity, seq: u64, chain: Chain, machine: &str) -> Row {
    let snapshot = Snapshot {
        seq,
        chain,
        holdings: vec![MachineSnapshot {
            machine: machine.to_owned(),
            version: 1,
            fingerprint: String::new(),
            stored: StoredPlans::default(),
            bases: Vec::new(),
        }],
        ..Snapshot::empty(session)
    };
    let body = snapshot.to_text();
    Row {
        seq,
        digest: chain.beside("snapshot", &body),
        body,
    }
}

/// Stores the snapshot of one session in another session, as if someone had copied the row.
async fn copied(store: &Tried, session: &SessionIdentity, snapshot: Row) -> LawResult {
    let head = store.head(session).await?;
    let commit = Commit {
        snapshot: Some(snapshot),
        ..empty(session, head.seq)
    };
    stored(store, "a snapshot of another session", commit).await
}

/// Returns the reason why a session is unreadable; if the session can be read, the store breaks the law.
async fn refused(store: &Tried, session: &SessionIdentity) -> Result<UnreadableReason, Broken> {
    match Snapshot::load(&**store, session).await {
        Err(SessionError::Unreadable { why, .. }) => Ok(why),
        Err(other) => Err(Broken(format!(
            "expected an unreadable session, found another error: {other}"
        ))),
        Ok(held) => Err(Broken(format!(
            "expected an unreadable session, found a readable one: {held:?}"
        ))),
    }
}

pub(super) async fn of_another_session(store: Tried) -> LawResult {
    let (closed, own) = begun(&store, "closed", 3).await?;
    let (_, open) = begun(&store, "open", 3).await?;
    copied(&store, &closed, open).await?;
    let why = refused(&store, &closed).await?;
    let altered = matches!(why, UnreadableReason::Altered { seq: 3, .. });
    same(
        &format!("whether the reason `{why}` names entry 3"),
        &altered,
        &true,
    )?;
    copied(&store, &closed, own).await?;
    let held = Snapshot::load(&*store, &closed).await;
    let held = held.map_err(|error| {
        Broken(format!(
            "expected a readable session, found an error: {error}"
        ))
    })?;
    same(
        "the machine in the snapshot",
        &held.holdings[0].machine.as_str(),
        &"closed",
    )
}

pub(super) async fn without_entries(store: Tried) -> LawResult {
    let (closed, _) = begun(&store, "closed", 3).await?;
    let (_, open) = begun(&store, "open", 5).await?;
    copied(&store, &closed, open).await?;
    let why = refused(&store, &closed).await?;
    same(
        "the reason why the session is unreadable",
        &why,
        &UnreadableReason::Missing { seq: 4 },
    )
}
