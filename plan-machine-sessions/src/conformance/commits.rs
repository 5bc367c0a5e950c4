//! Laws about commits: each commit is stored completely or not at all.

use super::kit::{
    LawResult, SessionData, Tried, conflict, ends_at, entries, fresh, given, row, same, stored,
};
use crate::identity::SessionIdentity;
use crate::store::Commit;

/// Returns a commit that contains an entry, effects, an answer and a snapshot.
fn full(session: &SessionIdentity, expected: u64, call_id: &str) -> Commit {
    let seq = expected + 1;
    Commit {
        effects: vec![(seq, 0), (seq, 1)],
        answers: vec![given(seq, call_id, "an answer")],
        snapshot: Some(row(seq, "a snapshot")),
        ..entries(session, expected, &["an entry"])
    }
}

pub(super) async fn another_number(store: Tried) -> LawResult {
    let session = fresh()?;
    conflict(
        &store,
        "a commit that expects sequence number 1 in a session that does not exist",
        full(&session, 1, "a"),
    )
    .await?;
    same(
        "the data of a session that was never started",
        &SessionData::of(&store, &session).await?,
        &SessionData::nothing(),
    )?;
    stored(&store, "the first entry", full(&session, 0, "b")).await?;
    stored(&store, "the second entry", full(&session, 1, "c")).await?;
    for wrong in [0, 1, 3, 4, 1 << 40] {
        let what = format!(
            "a commit that expects sequence number {wrong} in a session at sequence number 2"
        );
        conflict(&store, &what, full(&session, wrong, "d")).await?;
        let answer = store.answer(&session, "d").await?;
        same(
            "the answer in a commit that failed with a conflict",
            &answer,
            &None,
        )?;
        let answers_alone = Commit {
            rows: Vec::new(),
            effects: Vec::new(),
            snapshot: None,
            ..full(&session, wrong, "e")
        };
        let what = format!("{what} (the commit contains only answers)");
        conflict(&store, &what, answers_alone).await?;
    }
    stored(&store, "the third entry", full(&session, 2, "d")).await
}

pub(super) async fn another_entry(store: Tried) -> LawResult {
    let session = fresh()?;
    stored(&store, "the first entry", entries(&session, 0, &["of old"])).await?;
    let old = store.head(&session).await?.digest;
    same(
        "the digest of the last entry",
        &old,
        &Some(row(1, "of old").digest),
    )?;
    store.delete(&session).await?;
    stored(
        &store,
        "a commit that starts the deleted session again",
        entries(&session, 0, &["of now"]),
    )
    .await?;
    let late = |commit: Commit| Commit {
        after: old,
        ..commit
    };
    let what = "an entry that follows a deleted entry";
    conflict(&store, what, late(entries(&session, 1, &["late"]))).await?;
    let what = "an entry that follows a deleted entry and has effects, an answer and a snapshot";
    conflict(&store, what, late(full(&session, 1, "a"))).await?;
    let now = store.head(&session).await?.digest;
    let commit = Commit {
        after: now,
        ..entries(&session, 1, &["in time"])
    };
    stored(&store, "an entry that follows the existing entry", commit).await?;
    let commit = Commit {
        after: store.head(&session).await?.digest,
        ..full(&session, 2, "a")
    };
    stored(&store, "a commit that follows the new entry", commit).await
}

pub(super) async fn several_entries(store: Tried) -> LawResult {
    let session = fresh()?;
    let commit = Commit {
        effects: vec![(1, 0), (3, 0), (3, 2)],
        answers: vec![given(3, "a", "first"), given(3, "b", "second")],
        snapshot: Some(row(3, "after all three")),
        ..entries(&session, 0, &["one", "two", "three"])
    };
    let expected = commit.clone();
    stored(&store, "three entries", commit).await?;
    let kept = SessionData::of(&store, &session).await?;
    same("the number of the last entry", &kept.head, &3)?;
    same("the entries", &kept.history, &expected.rows)?;
    same("the answers", &kept.answers, &expected.answers)?;
    same("the snapshot", &kept.read.snapshot, &expected.snapshot)?;
    let open = kept.pending.iter().flat_map(|pending| {
        let positions = pending.positions.iter();
        positions.map(|position| (pending.row.seq, *position))
    });
    let open: Vec<(u64, u32)> = open.collect();
    same("the pending effects", &open, &expected.effects)?;
    let listed = kept.listed.map(|listed| listed.seq);
    same(
        "the number of the last entry in the list of sessions",
        &listed,
        &Some(3),
    )?;
    let commit = entries(&session, 3, &["four", "five"]);
    stored(&store, "two more entries", commit).await?;
    ends_at(&store, &session, 5).await
}
