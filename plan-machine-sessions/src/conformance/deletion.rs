//! Laws about the deletion of sessions.

use super::kit::{
    LawResult, SessionData, Tried, conflict, empty, entries, fresh, given, row, same, stored,
};
use crate::identity::SessionIdentity;
use crate::store::Commit;

fn full(session: &SessionIdentity, text: &str) -> Commit {
    Commit {
        effects: vec![(1, 0), (2, 0)],
        answers: vec![given(2, "call-1", text)],
        snapshot: Some(row(1, text)),
        ..entries(session, 0, &[text, text])
    }
}

pub(super) async fn of_everything(store: Tried) -> LawResult {
    let (session, other) = (fresh()?, fresh()?);
    let deleted = store.delete(&session).await?;
    same(
        "the result of deleting a session that does not exist",
        &deleted,
        &false,
    )?;
    stored(&store, "a session", full(&session, "one")).await?;
    stored(&store, "another session", full(&other, "other")).await?;
    let before = SessionData::of(&store, &other).await?;

    let deleted = store.delete(&session).await?;
    same("the result of deleting a session", &deleted, &true)?;
    let kept = SessionData::of(&store, &session).await?;
    same(
        "the data of the deleted session",
        &kept,
        &SessionData::nothing(),
    )?;
    let answer = store.answer(&session, "call-1").await?;
    same("an answer in the deleted session", &answer, &None)?;
    let after = SessionData::of(&store, &other).await?;
    same("the data of another session", &after, &before)?;
    let mut waiting = store.waiting(None, u32::MAX).await?;
    waiting.retain(|waiting| *waiting == session);
    same(
        "the deleted session in the list of sessions with pending effects",
        &waiting,
        &Vec::new(),
    )?;
    let deleted = store.delete(&session).await?;
    same("the result of deleting the session again", &deleted, &false)
}

pub(super) async fn without_entries(store: Tried) -> LawResult {
    let answered = fresh()?;
    let commit = Commit {
        answers: vec![given(0, "call-1", "alone")],
        ..empty(&answered, 0)
    };
    stored(&store, "an answer without an entry", commit).await?;
    let deleted = store.delete(&answered).await?;
    same(
        "the result of deleting a session without entries",
        &deleted,
        &true,
    )?;
    let answer = store.answer(&answered, "call-1").await?;
    same("an answer in the deleted session", &answer, &None)
}

pub(super) async fn anew(store: Tried) -> LawResult {
    let session = fresh()?;
    stored(&store, "a session", full(&session, "before")).await?;
    store.delete(&session).await?;
    let late = entries(
        &session,
        2,
        &["of a writer that has not noticed the deletion"],
    );
    conflict(&store, "an entry after the deletion", late).await?;
    // The new entries and the new answer have the same numbers and the same call id as the deleted ones.
    stored(
        &store,
        "a commit that starts the deleted session again",
        full(&session, "after"),
    )
    .await?;
    let kept = SessionData::of(&store, &session).await?;
    same("the number of the last entry", &kept.head, &2)?;
    let history = vec![row(1, "after"), row(2, "after")];
    same("the history", &kept.history, &history)?;
    same("the snapshot", &kept.read.snapshot, &Some(row(1, "after")))?;
    let answers = vec![given(2, "call-1", "after")];
    same("the answers", &kept.answers, &answers)?;
    let open: Vec<_> = kept.pending.iter().map(|open| open.row.clone()).collect();
    same("the entries with pending effects", &open, &history)
}
