//! Finds sessions whose entries exist, but whose row is missing or has an invalid name, and corrects what the database
//! records about a session besides its entries.

use tokio_postgres::Transaction;

use super::deadlines::within;
use super::pool::{self, Connections};
use super::{error, rows, statements};
use crate::identity::SessionIdentity;
use crate::store::lost::{LostEntry, id_among};
use crate::store::{MOST_ENTRIES, StoreError, UnlistedSession};

/// Returns the first entries of the sessions that cannot be found by their names.
pub(super) async fn lost(connections: &Connections) -> Result<Vec<LostEntry>, StoreError> {
    let found = pool::query(connections, statements::ODDLY_NAMED, &[]).await?;
    first_entries(&found)
}

fn first_entries(found: &[tokio_postgres::Row]) -> Result<Vec<LostEntry>, StoreError> {
    let mut all = Vec::new();
    for row in found {
        let body: Option<String> = rows::get(row, 3)?;
        if let (Some(_), Some(body)) = (problem(row)?, body) {
            all.push(LostEntry {
                id: rows::get(row, 0)?,
                body,
                // A damaged digest is read as zeros, which is not the digest of any text.
                digest: rows::digest(row, 4).unwrap_or_default(),
            });
        }
    }
    Ok(all)
}

/// Describes the sessions that cannot be found by their names.
pub(super) async fn unlisted(
    connections: &Connections,
) -> Result<Vec<UnlistedSession>, StoreError> {
    let mut all = Vec::new();
    for row in &pool::query(connections, statements::ODDLY_NAMED, &[]).await? {
        let Some(problem) = problem(row)? else {
            continue;
        };
        let (id, name): (i64, Option<String>) = (rows::get(row, 0)?, name(row)?);
        let counted = pool::query(connections, statements::COUNT, &[&id]).await?;
        all.push(UnlistedSession {
            name: name.unwrap_or_else(|| format!("session {id} of the database")),
            entries: counted
                .first()
                .map_or(Ok(0), |row| rows::number_at(row, 0))?,
            problem,
            identity: None,
        });
    }
    Ok(all)
}

fn name(row: &tokio_postgres::Row) -> Result<Option<String>, StoreError> {
    let channel: Option<&str> = rows::get(row, 1)?;
    let conversation: Option<&str> = rows::get(row, 2)?;
    let both = channel.zip(conversation);
    Ok(both.map(|(channel, conversation)| format!("{channel}:{conversation}")))
}

/// Returns the problem with the name of a session; `None` if the session can be found by its name.
fn problem(row: &tokio_postgres::Row) -> Result<Option<String>, StoreError> {
    let channel: Option<&str> = rows::get(row, 1)?;
    let conversation: Option<&str> = rows::get(row, 2)?;
    Ok(match channel.zip(conversation) {
        None => Some("the row with the name of the session is missing".to_owned()),
        Some((channel, conversation)) => SessionIdentity::existing(channel, conversation)
            .err()
            .map(|invalid| format!("the name of the session is damaged: {invalid}")),
    })
}

/// Corrects the row of a session and the numbers of its entries.
pub(super) async fn session(
    connections: &Connections,
    session: &SessionIdentity,
) -> Result<(), StoreError> {
    let mut client = pool::client(connections).await?;
    let repaired = async {
        let begun = pool::transaction(&mut client).await;
        let transaction = begun.map_err(|error| error::of(&error))?;
        corrected(&transaction, session).await?;
        let done = transaction.commit().await;
        done.map_err(|error| error::of(&error))
    };
    match within("a repair", connections.deadlines.commit, repaired).await {
        Ok(repaired) => repaired,
        Err(late) => {
            pool::discard(client);
            Err(late)
        }
    }
}

async fn corrected(
    transaction: &Transaction<'_>,
    session: &SessionIdentity,
) -> Result<(), StoreError> {
    let failed = |error: tokio_postgres::Error| error::of(&error);
    let (channel, conversation) = (session.channel(), session.conversation());
    let named = transaction
        .query_opt(statements::LOCK_SESSION, &[&channel, &conversation])
        .await
        .map_err(failed)?;
    let id: i64 = if let Some(row) = named {
        rows::get(&row, 0)?
    } else {
        let found = transaction.query(statements::ODDLY_NAMED, &[]);
        let lost = first_entries(&found.await.map_err(failed)?)?;
        let Some(id) = id_among(&lost, session) else {
            return Ok(());
        };
        let name = [&id as pool::Parameter, &channel, &conversation];
        let named = transaction.execute(statements::NAME, &name).await;
        named.map_err(failed)?;
        id
    };
    for statement in [statements::NUMBER_AGAIN, statements::CORRECT_HEAD] {
        let done = transaction.execute(statement, &[&id, &MOST_ENTRIES]).await;
        done.map_err(failed)?;
    }
    Ok(())
}
