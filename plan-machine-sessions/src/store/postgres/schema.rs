//! The tables of the database: checks them, and creates them if they do not exist.

use deadpool_postgres::{Client, GenericClient};

use super::deadlines::{Deadlines, within};
use super::pool::Connections;
use super::{error, pool};
use crate::store::{StoreError, StoreErrorKind};

/// The format of the tables that this version of plan-machine creates and uses.
const FORMAT: i32 = 1;

/// Takes the lock for creating the tables: if many processes start at the same time, only one of them creates the
/// tables.
const LOCK: &str = "SELECT pg_advisory_xact_lock(8101814101513232755)";

/// Reads whether the tables `format` and `due` exist, and the encoding of the database. The catalog is read as a table,
/// because functions that look up names may return results from before the lock was taken.
const KNOWN: &str = "
    SELECT EXISTS (SELECT FROM pg_catalog.pg_tables
                   WHERE schemaname = 'plan_machine' AND tablename = 'format'),
           current_setting('server_encoding'),
           EXISTS (SELECT FROM pg_catalog.pg_tables
                   WHERE schemaname = 'plan_machine' AND tablename = 'due')";

/// Reads the format, and whether the data was copied from another server. If it was, the data contains transaction
/// numbers that this server has not reached yet.
const WHICH: &str = "
    SELECT format.format,
           coalesce((SELECT max(transaction) FROM plan_machine.entry), 0)
             >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint + ahead
    FROM plan_machine.format";

/// Shifts the transaction numbers of this server so that they continue after the last transaction of the other server.
/// This ensures that the positions of entries keep increasing.
const MOVED: &str = "
    UPDATE plan_machine.format
    SET ahead = (SELECT max(transaction) FROM plan_machine.entry) + 1";

/// Creates the tables. The data of a session is found by the session's id, which is never reused, so that remnants of a
/// deleted session are not mistaken for data of a new one. Channels and conversations are ordered by their bytes.
///
/// There are no foreign keys: each of them would make the server check the session for every row of a commit, although
/// the commit has already locked the session.
const TABLES: &str = "
    CREATE SCHEMA IF NOT EXISTS plan_machine;

    CREATE TABLE plan_machine.format (
      single boolean PRIMARY KEY DEFAULT true CHECK (single),
      format integer NOT NULL,
      ahead bigint NOT NULL
    );
    COMMENT ON COLUMN plan_machine.format.ahead IS
      'the number that is added to transaction numbers if the database was copied from another server';

    CREATE TABLE plan_machine.session (
      id bigserial PRIMARY KEY,
      channel text COLLATE \"C\" NOT NULL,
      conversation text COLLATE \"C\" NOT NULL,
      seq bigint NOT NULL,
      head bytea,
      CONSTRAINT one_of_a_name UNIQUE (channel, conversation)
    ) WITH (fillfactor = 70);

    CREATE TABLE plan_machine.entry (
      session bigint NOT NULL,
      seq bigint NOT NULL,
      number bigserial NOT NULL,
      transaction bigint NOT NULL,
      digest bytea NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (session, seq)
    );
    CREATE INDEX entry_place ON plan_machine.entry (transaction, number);

    CREATE TABLE plan_machine.snapshot (
      session bigint PRIMARY KEY,
      seq bigint NOT NULL,
      digest bytea NOT NULL,
      body text NOT NULL
    );

    CREATE TABLE plan_machine.answer (
      session bigint NOT NULL,
      seq bigint NOT NULL,
      number bigserial NOT NULL,
      digest bytea NOT NULL,
      call_id bytea NOT NULL,
      body text NOT NULL
    );
    COMMENT ON COLUMN plan_machine.answer.call_id IS
      'UTF-8 bytes instead of text, because call ids may contain U+0000';
    CREATE UNIQUE INDEX answer_to_a_call ON plan_machine.answer (session, sha256(call_id));
    CREATE INDEX answer_order ON plan_machine.answer (session, seq);

    CREATE TABLE plan_machine.effect (
      session bigint NOT NULL,
      seq bigint NOT NULL,
      position bigint NOT NULL,
      PRIMARY KEY (session, seq, position)
    );";

/// Creates the table of the instants at which sessions with timers are due, in milliseconds since 1970. Databases that
/// an earlier version created do not have this table; sessions without timers have no row in it.
const DUE: &str = "
    CREATE TABLE plan_machine.due (
      session bigint PRIMARY KEY,
      at bigint NOT NULL
    );
    CREATE INDEX due_by_instant ON plan_machine.due (at);";

/// Inserts the only row of the table `format`.
const FIRST: &str = "INSERT INTO plan_machine.format (format, ahead) VALUES ($1, 0)";

/// Checks the tables. Changes nothing, with two exceptions: it creates a table that an earlier version did not create,
/// and it shifts the transaction numbers of a database that was copied from another server.
pub(super) async fn find(connections: &Connections) -> Result<(), StoreError> {
    let mut client = pool::client(connections).await?;
    let Deadlines {
        statement, commit, ..
    } = connections.deadlines;
    match within("the first statement", statement, look(&client)).await?? {
        SchemaState::READY => Ok(()),
        SchemaState::Tables { .. } => {
            within("a change to the tables", commit, make(&mut client)).await?
        }
        SchemaState::Nothing => Err(StoreError::new(
            StoreErrorKind::Foreign,
            "the database does not contain the tables of plan-machine",
        )),
    }
}

/// Checks the tables, creates those that do not exist, and shifts the transaction numbers of a database that was copied
/// from another server.
pub(super) async fn prepare(connections: &Connections) -> Result<(), StoreError> {
    let mut client = pool::client(connections).await?;
    let Deadlines {
        statement, commit, ..
    } = connections.deadlines;
    // Usually the tables already exist, and checking that does not require the lock.
    if within("the first statement", statement, look(&client)).await?? == SchemaState::READY {
        return Ok(());
    }
    within("the creation of the tables", commit, make(&mut client)).await?
}

async fn make(client: &mut Client) -> Result<(), StoreError> {
    let told = |error: tokio_postgres::Error| error::of(&error);
    let transaction = pool::transaction(client).await.map_err(told)?;
    transaction.batch_execute(LOCK).await.map_err(told)?;
    match look(&transaction).await? {
        SchemaState::Nothing => {
            transaction.batch_execute(TABLES).await.map_err(told)?;
            transaction.batch_execute(DUE).await.map_err(told)?;
            let first = transaction.execute(FIRST, &[&FORMAT]);
            first.await.map_err(told)?;
        }
        SchemaState::Tables { has_due, is_moved } => {
            if !has_due {
                let made = transaction.batch_execute(DUE).await;
                made.map_err(|error| without_due(&error))?;
            }
            if is_moved {
                let shifted = transaction.batch_execute(MOVED).await;
                shifted.map_err(|error| without_shift(&error))?;
            }
        }
    }
    transaction.commit().await.map_err(told)
}

/// Returns the error for the table `due` that is missing and cannot be created.
fn without_due(error: &tokio_postgres::Error) -> StoreError {
    let StoreError { kind, message } = error::of(error);
    let message = format!(
        "the table `plan_machine.due` is missing, because an earlier version of plan-machine created the database, \
         and it cannot be created: {message}. Open the store once as the user who owns the other tables"
    );
    StoreError::new(kind, message)
}

/// Returns the error for a database that was copied from another server and cannot be prepared for this one.
fn without_shift(error: &tokio_postgres::Error) -> StoreError {
    let StoreError { kind, message } = error::of(error);
    let message = format!(
        "the database was copied from another server, so the positions of new entries must be shifted, but the table \
         `plan_machine.format` cannot be changed: {message}. Open the store once as a user who can change this table"
    );
    StoreError::new(kind, message)
}

/// The state of the tables in the database.
#[derive(PartialEq)]
enum SchemaState {
    Nothing,
    Tables {
        /// Whether the table `due` exists. A version without timers did not create it.
        has_due: bool,
        /// Whether the tables were copied from another server.
        is_moved: bool,
    },
}

impl SchemaState {
    /// The state of tables that can be used without any changes.
    const READY: Self = Self::Tables {
        has_due: true,
        is_moved: false,
    };
}

async fn look(client: &impl GenericClient) -> Result<SchemaState, StoreError> {
    let told = |error: tokio_postgres::Error| error::of(&error);
    let foreign = |message: String| StoreError::new(StoreErrorKind::Foreign, message);
    let row = client.query_one(KNOWN, &[]).await.map_err(told)?;
    let encoding: &str = row.try_get(1).map_err(told)?;
    if encoding != "UTF8" {
        return Err(foreign(format!(
            "the encoding of the database is {encoding}, but it must be UTF8"
        )));
    }
    if !row.try_get(0).map_err(told)? {
        return Ok(SchemaState::Nothing);
    }
    let has_due: bool = row.try_get(2).map_err(told)?;
    let row = client.query_opt(WHICH, &[]).await.map_err(told)?;
    let row = row.ok_or_else(|| foreign("the table `plan_machine.format` is empty".to_owned()))?;
    let format: i32 = row.try_get(0).map_err(told)?;
    if format != FORMAT {
        return Err(foreign(format!(
            "the tables have format {format}, but this version of plan-machine supports only format {FORMAT}"
        )));
    }
    let is_moved: bool = row.try_get(1).map_err(told)?;
    Ok(SchemaState::Tables { has_due, is_moved })
}
