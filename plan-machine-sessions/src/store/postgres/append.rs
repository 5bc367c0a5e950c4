//! The changes to a session: commits, and the deletion of the session.

use deadpool_postgres::Client;
use tokio_postgres::error::SqlState;

use super::deadlines::within;
use super::pool::Connections;
use super::rows::number;
use super::{error, outcome, pool, statements};
use crate::identity::SessionIdentity;
use crate::store::due::rounded_up;
use crate::store::{AppendOutcome, Commit, NextDue, Row, StoreError, StoreErrorKind};

/// The unique index that ensures that each call has at most one answer.
const ONE_ANSWER: &str = "answer_to_a_call";

/// Stores a commit with a single statement, which is sent only once. If the server does not respond in time, or if the
/// connection is lost before the response arrives, the outcome is read from the database; the commit is never sent a
/// second time.
pub(super) async fn append(
    connections: &Connections,
    commit: &Commit,
) -> Result<AppendOutcome, StoreError> {
    let bodies = commit.rows.iter().map(|row| &row.body);
    let bodies = bodies.chain(commit.answers.iter().map(|given| &given.body));
    if bodies
        .chain(commit.snapshot.iter().map(|row| &row.body))
        .any(|body| body.contains('\0'))
    {
        return Err(StoreError::new(
            StoreErrorKind::Failed,
            "the data contains the character U+0000, which PostgreSQL cannot store",
        ));
    }
    let client = pool::client(connections).await?;
    let sent = async {
        match &commit.rows[..] {
            [row] if is_one_entry(commit) => send_one(&client, commit, row).await,
            _ => send_all(&client, commit).await,
        }
    };
    match within("a commit", connections.deadlines.commit, sent).await {
        Ok(Ok(Some(_))) => Ok(AppendOutcome::Stored),
        Ok(Ok(None)) => Ok(AppendOutcome::Conflict),
        Ok(Err(error)) if somebody_was_first(&error) => Ok(AppendOutcome::Conflict),
        Ok(Err(error)) if error::is_lost(&error) => {
            outcome::read(connections, commit, error::of(&error)).await
        }
        Ok(Err(error)) => Err(error::of(&error)),
        Err(late) => {
            pool::discard(client);
            outcome::read(connections, commit, late).await
        }
    }
}

/// The row that the statement of a commit returns, if it returns one.
type StatementResult = Result<Option<tokio_postgres::Row>, tokio_postgres::Error>;

fn is_one_entry(commit: &Commit) -> bool {
    commit.expected > 0
        && commit.effects.is_empty()
        && commit.answers.is_empty()
        && commit.snapshot.is_none()
        && commit.due == NextDue::Unchanged
}

async fn send_one(client: &Client, commit: &Commit, row: &Row) -> StatementResult {
    let prepared = client.prepare_cached(statements::APPEND_ONE).await?;
    let session = &commit.session;
    let (expected, seq) = (number(commit.expected), number(row.seq));
    let after = commit.after.as_ref().map(|digest| &digest[..]);
    let parameters: [pool::Parameter; 7] = [
        &session.channel(),
        &session.conversation(),
        &expected,
        &seq,
        &row.body,
        &&row.digest[..],
        &after,
    ];
    client.query_opt(&prepared, &parameters).await
}

async fn send_all(client: &Client, commit: &Commit) -> StatementResult {
    let expected = number(commit.expected);
    let seq = number(commit.expected.saturating_add(commit.rows.len() as u64));
    let rows = &commit.rows;
    let seqs: Vec<i64> = rows.iter().map(|row| number(row.seq)).collect();
    let texts: Vec<&str> = rows.iter().map(|row| row.body.as_str()).collect();
    let digests: Vec<&[u8]> = rows.iter().map(|row| &row.digest[..]).collect();
    let effects: Vec<i64> = commit.effects.iter().map(|(seq, _)| number(*seq)).collect();
    let positions = commit
        .effects
        .iter()
        .map(|(_, position)| i64::from(*position));
    let positions: Vec<i64> = positions.collect();
    let given = &commit.answers;
    let given_at: Vec<i64> = given.iter().map(|given| number(given.seq)).collect();
    let calls: Vec<&[u8]> = given.iter().map(|given| given.call_id.as_bytes()).collect();
    let answers: Vec<&str> = given.iter().map(|given| given.body.as_str()).collect();
    let answered: Vec<&[u8]> = given.iter().map(|given| &given.digest[..]).collect();
    let snapshot = commit.snapshot.as_ref();
    let held_at = snapshot.map(|row| number(row.seq));
    let held = snapshot.map(|row| row.body.as_str());
    let held_digest = snapshot.map(|row| &row.digest[..]);
    let after = commit.after.as_ref().map(|digest| &digest[..]);
    let last = rows.last().map(|row| &row.digest[..]);

    let statement = if commit.expected == 0 {
        statements::BEGIN
    } else {
        statements::APPEND
    };
    let prepared = client.prepare_cached(statement).await?;
    let session = &commit.session;
    let due = match commit.due {
        NextDue::At(at) => Some(rounded_up(at)),
        NextDue::Unchanged | NextDue::Never => None,
    };
    let never = commit.due == NextDue::Never;
    let parameters: [pool::Parameter; 20] = [
        &session.channel(),
        &session.conversation(),
        &expected,
        &seq,
        &seqs,
        &texts,
        &digests,
        &effects,
        &positions,
        &given_at,
        &calls,
        &answers,
        &answered,
        &held_at,
        &held,
        &held_digest,
        &after,
        &last,
        &due,
        &never,
    ];
    client.query_opt(&prepared, &parameters).await
}

/// Returns whether the error means that nothing was stored because another writer committed first.
fn somebody_was_first(error: &tokio_postgres::Error) -> bool {
    let Some(error) = error.as_db_error() else {
        return false;
    };
    // The second code occurs only at a stricter isolation level, for example if a connection pooler resets our
    // settings.
    (*error.code() == SqlState::UNIQUE_VIOLATION && error.constraint() == Some(ONE_ANSWER))
        || *error.code() == SqlState::T_R_SERIALIZATION_FAILURE
}

/// Deletes a session.
pub(super) async fn delete(
    connections: &Connections,
    session: &SessionIdentity,
) -> Result<bool, StoreError> {
    let mut client = pool::client(connections).await?;
    let deleted = delete_with(&mut client, session);
    match within("a deletion", connections.deadlines.commit, deleted).await {
        Ok(deleted) => deleted.map_err(|error| error::of(&error)),
        Err(late) => {
            pool::discard(client);
            Err(late)
        }
    }
}

async fn delete_with(
    client: &mut Client,
    session: &SessionIdentity,
) -> Result<bool, tokio_postgres::Error> {
    // At this isolation level, the second statement sees everything that was stored before the first statement locked
    // the session.
    let transaction = pool::transaction(client).await?;
    let statement = transaction.prepare_cached(statements::DELETE).await?;
    let named: [pool::Parameter; 2] = [&session.channel(), &session.conversation()];
    let Some(row) = transaction.query_opt(&statement, &named).await? else {
        return Ok(false);
    };
    let statement = transaction.prepare_cached(statements::DELETE_KEPT).await?;
    let id: i64 = row.try_get(0)?;
    transaction.execute(&statement, &[&id]).await?;
    transaction.commit().await?;
    Ok(true)
}
