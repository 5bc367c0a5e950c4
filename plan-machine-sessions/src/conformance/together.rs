//! Laws about concurrent use of a store.

use tokio::task::JoinSet;

use super::kit::{
    Broken, LawResult, PATIENCE, Tried, empty, ends_at, entries, fresh, given, placed, same, stored,
};
use crate::store::{AppendOutcome, Commit};

/// The number of concurrent writers.
const MANY: usize = 16;

/// Sends all commits concurrently; returns the commits that were stored.
async fn at_once(store: &Tried, commits: Vec<Commit>) -> Result<Vec<Commit>, Broken> {
    let mut tasks = JoinSet::new();
    for commit in commits {
        let store = Tried::clone(store);
        tasks.spawn(async move { (store.append(commit.clone()).await, commit) });
    }
    let mut winners = Vec::new();
    while let Some(done) = tasks.join_next().await {
        let (appended, commit) = done.map_err(|error| Broken(error.to_string()))?;
        if appended? == AppendOutcome::Stored {
            winners.push(commit);
        }
    }
    Ok(winners)
}

pub(super) async fn one_wins(store: Tried) -> LawResult {
    let session = fresh()?;
    for expected in 0..5 {
        let commits = (0..MANY).map(|who| Commit {
            answers: vec![given(expected + 1, format!("{expected} {who}"), "mine")],
            effects: vec![(expected + 1, 0)],
            ..entries(&session, expected, &[&format!("of {who}")])
        });
        let winners = at_once(&store, commits.collect()).await?;
        let what = format!(
            "the number of stored commits out of {MANY} that expect sequence number {expected}"
        );
        same(&what, &winners.len(), &1)?;
        let history = store.history(&session, expected, 10).await?;
        let rows = winners.iter().flat_map(|commit| commit.rows.clone());
        same(
            "the entries in the stored commit",
            &history,
            &rows.collect(),
        )?;
        let answers = store.answers(&session, expected + 1, expected + 1).await?;
        let theirs = winners.iter().flat_map(|commit| commit.answers.clone());
        same(
            "the answers in the stored commit",
            &answers,
            &theirs.collect(),
        )?;
    }
    ends_at(&store, &session, 5).await
}

pub(super) async fn one_answer(store: Tried) -> LawResult {
    let session = fresh()?;
    for call in ["call-1", "call-2"] {
        let commits = (0..MANY).map(|who| Commit {
            answers: vec![given(0, call, format!("of {who}"))],
            ..empty(&session, 0)
        });
        let winners = at_once(&store, commits.collect()).await?;
        let what = format!(
            "the number of stored commits out of {MANY} with an answer to the call `{call}`"
        );
        same(&what, &winners.len(), &1)?;
        let found = store.answer(&session, call).await?;
        let of_the_one = winners.first().and_then(|commit| commit.answers.first());
        same(
            "the answer in the stored commit",
            &found.as_ref(),
            &of_the_one,
        )?;
    }
    Ok(())
}

pub(super) async fn answers_alone(store: Tried) -> LawResult {
    let session = fresh()?;
    let commits = (0..MANY).map(|who| Commit {
        answers: vec![given(0, format!("call-{who}"), "denied")],
        ..empty(&session, 0)
    });
    let winners = at_once(&store, commits.collect()).await?;
    let what = "the number of stored commits with answers to different calls";
    same(what, &winners.len(), &MANY)?;
    let found = store.answers(&session, 0, 0).await?;
    same("the number of stored answers", &found.len(), &MANY)
}

pub(super) async fn different_sessions(store: Tried) -> LawResult {
    let start = store.end().await?;
    let mut sessions = Vec::new();
    for _ in 0..MANY {
        sessions.push(fresh()?);
    }
    for expected in 0..4 {
        let commits = sessions
            .iter()
            .map(|session| entries(session, expected, &["entry"]));
        let winners = at_once(&store, commits.collect()).await?;
        let what = "the number of stored commits to different sessions";
        same(what, &winners.len(), &MANY)?;
    }
    let of: Vec<_> = sessions.iter().collect();
    let found = placed(&store, start, &of, 4 * MANY).await?;
    for session in &sessions {
        let numbers: Vec<u64> = found
            .iter()
            .filter(|placed| placed.session == *session)
            .map(|placed| placed.row.seq)
            .collect();
        let what = "the numbers of a session's entries, ordered by position";
        same(what, &numbers, &vec![1, 2, 3, 4])?;
    }
    Ok(())
}

pub(super) async fn woken(store: Tried) -> LawResult {
    let session = fresh()?;
    for expected in 0..3 {
        let mut wake = store.wake();
        let commit = entries(&session, expected, &["entry"]);
        stored(&store, "an entry", commit).await?;
        let woken = tokio::time::timeout(PATIENCE, wake.up()).await;
        woken.map_err(|_| {
            Broken(format!(
                "expected the waiting task to be woken within {PATIENCE:?}, but it is still waiting"
            ))
        })?;
    }
    let mut wake = store.wake();
    let waiting = tokio::spawn(async move { wake.up().await });
    let commit = entries(&session, 3, &["entry"]);
    stored(&store, "an entry while a task is waiting", commit).await?;
    let woken = tokio::time::timeout(PATIENCE, waiting).await;
    let woken = woken.map_err(|_| {
        Broken(format!(
            "expected the waiting task to be woken within {PATIENCE:?}, but it is still waiting"
        ))
    })?;
    woken.map_err(|error| Broken(error.to_string()))
}
