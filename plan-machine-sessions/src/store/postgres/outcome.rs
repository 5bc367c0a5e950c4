//! Finds out whether a commit was stored, after the server has failed to respond. The commit is recognized by the
//! number and digest of its last entry or, if it has no entries, by the call that it answers.

use super::pool::{self, Connections};
use super::rows::{self, number};
use super::statements;
use crate::store::{AppendOutcome, Commit, Head, Row, StoreError, StoredAnswer};

/// Reads from the database whether a commit was stored. `why` is the reason why the server's response was not
/// received.
///
/// If the commit is not stored, and no other commit has been stored in its place, the server may still store it later,
/// so this function returns an error. If the caller then sends the commit again, only one of the two can be stored,
/// because both follow the same entry or answer the same call. A commit without entries and answers only sets the
/// instant of the next timer, which may be set twice.
pub(super) async fn read(
    connections: &Connections,
    commit: &Commit,
    why: StoreError,
) -> Result<AppendOutcome, StoreError> {
    let found = match (commit.rows.last(), commit.answers.first()) {
        (Some(row), _) => entry(connections, commit, row).await,
        (None, Some(answer)) => answered(connections, commit, answer).await,
        (None, None) => Ok(None),
    };
    match found {
        Ok(Some(true)) => Ok(AppendOutcome::Stored),
        Ok(Some(false)) => Ok(AppendOutcome::Conflict),
        Ok(None) => Err(StoreError {
            message: format!(
                "{}; the commit is not stored yet, but the server may still store it",
                why.message
            ),
            ..why
        }),
        Err(_) => Err(StoreError {
            message: format!(
                "{}; it is not known whether the commit was stored",
                why.message
            ),
            ..why
        }),
    }
}

/// Returns whether an entry was stored; `None` if it is not stored yet, but may still be stored.
async fn entry(
    connections: &Connections,
    commit: &Commit,
    row: &Row,
) -> Result<Option<bool>, StoreError> {
    let head = head(connections, commit).await?;
    let (after, most) = (number(row.seq.saturating_sub(1)), 1_i64);
    let (statement, session) = (statements::HISTORY, &commit.session);
    let found = pool::query_of(connections, statement, session, &[&after, &most]).await?;
    let found = found.first().map(|row| rows::text(row, 0)).transpose()?;
    if found.is_some_and(|found| found.seq == row.seq && found.digest == row.digest) {
        return Ok(Some(true));
    }
    Ok(overtaken(commit, head))
}

/// Returns whether an answer was stored; `None` if it is not stored yet, but may still be stored.
async fn answered(
    connections: &Connections,
    commit: &Commit,
    answer: &StoredAnswer,
) -> Result<Option<bool>, StoreError> {
    let head = head(connections, commit).await?;
    let call_id = answer.call_id.as_bytes();
    let session = &commit.session;
    let found = pool::query_of(connections, statements::ANSWER, session, &[&call_id]).await?;
    match found.first().map(rows::given).transpose()? {
        Some(found) => Ok(Some(found.digest == answer.digest)),
        None => Ok(overtaken(commit, head)),
    }
}

async fn head(connections: &Connections, commit: &Commit) -> Result<Head, StoreError> {
    let found = pool::query_of(connections, statements::HEAD, &commit.session, &[]).await?;
    let head = found.first().map(|row| rows::head(row, 0, 1));
    head.unwrap_or(Ok(Head::default()))
}

/// Returns `Some(false)` if the entry that the commit must follow is no longer the last one, so that the commit can
/// never be stored; `None` otherwise.
fn overtaken(commit: &Commit, head: Head) -> Option<bool> {
    let same =
        head.seq == commit.expected && commit.after.is_none_or(|after| head.digest == Some(after));
    (!same).then_some(false)
}
