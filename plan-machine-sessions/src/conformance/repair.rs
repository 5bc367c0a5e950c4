//! The law about repairs: a repair changes only what is damaged.

use super::kit::{LawResult, SessionData, Tried, entries, fresh, given, row, same, stored};
use crate::store::Commit;

pub(super) async fn of_nothing(store: Tried) -> LawResult {
    let absent = fresh()?;
    store.repair(&absent).await?;
    same(
        "the data of a session that does not exist, after a repair",
        &SessionData::of(&store, &absent).await?,
        &SessionData::nothing(),
    )?;
    let session = fresh()?;
    let commit = Commit {
        effects: vec![(1, 0), (3, 2)],
        answers: vec![given(0, "call", "an answer")],
        snapshot: Some(row(2, "a snapshot")),
        ..entries(&session, 0, &["one", "two", "three"])
    };
    stored(&store, "a session", commit).await?;
    let before = SessionData::of(&store, &session).await?;
    store.repair(&session).await?;
    same(
        "the data of a session that is not damaged, after a repair",
        &SessionData::of(&store, &session).await?,
        &before,
    )?;
    stored(
        &store,
        "an entry after a repair",
        entries(&session, 3, &["four"]),
    )
    .await
}
