//! Laws about effects, which are pending until they are settled.

use super::kit::{LawResult, Tried, empty, ends_at, entries, fresh, row, same, stored};
use crate::identity::SessionIdentity;
use crate::store::{Commit, StoreErrorKind, UnsettledEntry};

fn with_effects(
    session: &SessionIdentity,
    expected: u64,
    bodies: &[&str],
    effects: Vec<(u64, u32)>,
) -> Commit {
    Commit {
        effects,
        ..entries(session, expected, bodies)
    }
}

fn pending(seq: u64, body: &str, positions: &[u32]) -> UnsettledEntry {
    UnsettledEntry {
        row: row(seq, body),
        positions: positions.to_vec(),
    }
}

pub(super) async fn until_settled(store: Tried) -> LawResult {
    let session = fresh()?;
    let open = vec![(1, 0), (1, 1), (1, 2), (3, 0)];
    let commit = with_effects(&session, 0, &["one", "two", "three"], open);
    stored(&store, "three entries", commit).await?;
    let commit = with_effects(&session, 3, &["four"], vec![(4, 7)]);
    stored(&store, "an entry", commit).await?;
    let all = [
        pending(1, "one", &[0, 1, 2]),
        pending(3, "three", &[0]),
        pending(4, "four", &[7]),
    ];
    for most in 0..=4_u32 {
        let found = store.pending(&session, most).await?;
        let expected = &all[..all.len().min(most as usize)];
        same(
            &format!("the pending effects, listed with a limit of {most} on the number of entries"),
            &&found[..],
            &expected,
        )?;
    }
    for time in ["first", "second"] {
        store.settle(&session, 1, 1).await?;
        let found = store.pending(&session, 1).await?;
        let expected = vec![pending(1, "one", &[0, 2])];
        same(
            &format!("the pending effects after settling the same effect for the {time} time"),
            &found,
            &expected,
        )?;
    }
    store.settle(&session, 3, 0).await?;
    let found = store.pending(&session, 9).await?;
    let expected = vec![pending(1, "one", &[0, 2]), pending(4, "four", &[7])];
    same(
        "the pending effects after settling all effects of an entry",
        &found,
        &expected,
    )?;
    // Settling an effect that does not exist is not an error.
    store.settle(&session, 2, 0).await?;
    store.settle(&session, 9, u32::MAX).await?;
    store.settle(&session, u64::MAX, 0).await?;
    store.settle(&fresh()?, 1, 0).await?;
    let found = store.pending(&session, 9).await?;
    same(
        "the pending effects after settling effects that do not exist",
        &found,
        &expected,
    )?;
    let commit = empty(&session, 4);
    stored(&store, "an empty commit", commit).await?;
    ends_at(&store, &session, 4).await
}

pub(super) async fn all_at_once(store: Tried) -> LawResult {
    let (one, two) = (fresh()?, fresh()?);
    for session in [&one, &two] {
        let commit = with_effects(session, 0, &["a", "b"], vec![(1, 0), (1, 3), (2, 0)]);
        stored(&store, "two entries", commit).await?;
    }
    store.settle_all(&one).await?;
    let found = store.pending(&one, 9).await?;
    same(
        "the pending effects after settling all effects of the session",
        &found,
        &Vec::new(),
    )?;
    let found = store.pending(&two, 9).await?;
    let expected = vec![pending(1, "a", &[0, 3]), pending(2, "b", &[0])];
    same("the pending effects of another session", &found, &expected)?;
    // Settling all effects of a session without pending effects is not an error.
    store.settle_all(&one).await?;
    store.settle_all(&fresh()?).await?;
    let commit = with_effects(&one, 2, &["c"], vec![(3, 0)]);
    stored(&store, "another entry", commit).await?;
    let found = store.pending(&one, 9).await?;
    same(
        "the pending effects after storing another entry",
        &found,
        &vec![pending(3, "c", &[0])],
    )
}

pub(super) async fn of_all(store: Tried) -> LawResult {
    let (one, two, three) = (fresh()?, fresh()?, fresh()?);
    let mut named = vec![one.clone(), two.clone()];
    named.sort();
    let commit = with_effects(&two, 0, &["a"], vec![(1, 0)]);
    stored(&store, "an entry with one effect", commit).await?;
    let commit = with_effects(&one, 0, &["b"], vec![(1, 0), (1, 1)]);
    stored(&store, "an entry with two effects", commit).await?;
    let commit = with_effects(&two, 1, &["c"], vec![(2, 0)]);
    stored(&store, "another entry with one effect", commit).await?;
    stored(
        &store,
        "an entry without effects",
        entries(&three, 0, &["d"]),
    )
    .await?;
    store.settle(&one, 1, 0).await?;
    let of_these = |mut found: Vec<SessionIdentity>| {
        found.retain(|found| [&one, &two, &three].contains(&found));
        found
    };
    let found = of_these(store.waiting(None, u32::MAX).await?);
    same("the sessions with pending effects", &found, &named)?;
    let found = store.waiting(None, 1).await?;
    same(
        "the number of sessions with pending effects, listed with a limit of one",
        &found.len(),
        &1,
    )?;
    let found = of_these(store.waiting(Some(&named[0]), u32::MAX).await?);
    same(
        "the sessions with pending effects, listed from the second one on",
        &found,
        &named[1..].to_vec(),
    )?;
    let found = store.pending(&two, 9).await?;
    let expected = vec![pending(1, "a", &[0]), pending(2, "c", &[0])];
    same(
        "the pending effects of a session with effects in two entries",
        &found,
        &expected,
    )?;
    for (session, seq, position) in [(&one, 1, 1), (&two, 1, 0), (&two, 2, 0)] {
        store.settle(session, seq, position).await?;
    }
    let found = of_these(store.waiting(None, u32::MAX).await?);
    same(
        "the sessions with pending effects after all effects have been settled",
        &found,
        &Vec::new(),
    )
}

pub(super) async fn without_entry(store: Tried) -> LawResult {
    let (one, two) = (fresh()?, fresh()?);
    let commit = with_effects(&one, 0, &["a"], vec![(1, 0), (2, 0)]);
    // The commit contains an effect of entry 2, which does not exist. A store may refuse the commit. A store that
    // accepts the commit must later report the missing entry instead of omitting the effect.
    if store.append(commit).await.is_err() {
        return same(
            "the number of the last entry after a refused commit",
            &store.head(&one).await?.seq,
            &0,
        );
    }
    let commit = with_effects(&two, 0, &["b"], vec![(1, 0)]);
    stored(&store, "an entry of another session", commit).await?;
    let found = store.pending(&one, 9).await;
    let kind = found.as_ref().map_err(|error| error.kind);
    same(
        "the pending effects of a session in which an entry is missing",
        &kind,
        &Err(StoreErrorKind::Damaged),
    )?;
    let found = store.pending(&two, 9).await?;
    let expected = vec![pending(1, "b", &[0])];
    same("the pending effects of another session", &found, &expected)?;
    store.settle_all(&one).await?;
    let found = store.pending(&one, 9).await?;
    same(
        "the pending effects after all of them have been settled",
        &found,
        &Vec::new(),
    )
}
