//! The pool of connections. Connections are kept open, checked before they are used, and replaced when they are lost.

use std::time::Duration;

use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime, Transaction,
};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, IsolationLevel, Row, Socket};

use super::deadlines::{Deadlines, within};
use super::error;
use crate::identity::SessionIdentity;
use crate::store::{StoreError, StoreErrorKind};

/// How long to wait for a free connection.
const WAIT: Duration = Duration::from_secs(30);

/// The settings of every connection:
///
/// - Data is on disk before the server confirms a commit, even if the server is configured not to wait for the disk.
///   Stricter settings, such as waiting for a replica, are left unchanged.
/// - A transaction that has waited for another one sees the data that the other one has committed, even if the server
///   is configured for a stricter isolation level.
/// - Statements are not compiled (JIT), because none of them runs long enough to benefit from it.
const SETTINGS: &str = "
    SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SET jit = off;
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off'";

/// The pool, and how long to wait for the server's responses.
pub(super) struct Connections {
    pub(super) pool: Pool,
    pub(super) deadlines: Deadlines,
}

/// How long a connection may be idle before the operating system checks whether it is still alive.
const SILENT: Duration = Duration::from_secs(60);

/// A parameter of a statement.
pub(super) type Parameter<'a> = &'a (dyn ToSql + Sync);

/// Adds to the configuration a limit on how long to wait for an unreachable server. If the configuration already has a
/// connect timeout, the deadlines are changed to match it.
pub(super) fn with_limits(mut config: Config, mut deadlines: Deadlines) -> (Config, Deadlines) {
    match config.get_connect_timeout() {
        Some(connect) => deadlines.connect = *connect,
        None => drop(config.connect_timeout(deadlines.connect)),
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(deadlines.commit);
    }
    config.keepalives_idle(SILENT);
    if config.get_application_name().is_none() {
        config.application_name("plan-machine");
    }
    (config, deadlines)
}

/// Creates a pool whose connections are opened on demand.
pub(super) fn open<T>(
    config: Config,
    tls: T,
    connections: usize,
    deadlines: Deadlines,
) -> Result<Connections, StoreError>
where
    T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
    T::Stream: Send + Sync,
    T::TlsConnect: Send + Sync,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    let manager = ManagerConfig {
        // Before a connection is reused, only its local state is checked: asking the server would cost each commit a
        // round trip.
        recycling_method: RecyclingMethod::Fast,
    };
    // This setting makes the server cancel a statement whose deadline has passed, because no one is waiting for it
    // anymore.
    let longest = deadlines.statement.max(deadlines.commit).as_millis();
    let settings = format!(
        "{SETTINGS};
         SELECT set_config('statement_timeout', '{longest}', false)
         WHERE current_setting('statement_timeout') = '0'"
    );
    let settings = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
        let settings = settings.clone();
        Box::pin(async move {
            let set = client.simple_query(&settings);
            let set = within("a new connection", deadlines.connect, set).await;
            let set = set.map_err(|late| HookError::message(late.message))?;
            set.map(drop).map_err(HookError::Backend)
        })
    });
    let pool = Pool::builder(Manager::from_config(config, tls, manager))
        .max_size(connections.max(1))
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(WAIT))
        .create_timeout(Some(deadlines.connect))
        .recycle_timeout(Some(deadlines.connect))
        .post_create(settings)
        .build();
    let pool = pool.map_err(|error| StoreError::new(StoreErrorKind::Failed, error.to_string()))?;
    Ok(Connections { pool, deadlines })
}

/// Takes a connection from the pool.
pub(super) async fn client(connections: &Connections) -> Result<Client, StoreError> {
    connections.pool.get().await.map_err(error::of_pool)
}

/// Begins a transaction in which each statement sees everything that was committed before the statement began.
pub(super) async fn transaction(
    client: &mut Client,
) -> Result<Transaction<'_>, tokio_postgres::Error> {
    client
        .build_transaction()
        .isolation_level(IsolationLevel::ReadCommitted)
        .start()
        .await
}

/// Removes a connection from the pool after the server has failed to respond in time, so that the connection is not
/// used again.
pub(super) fn discard(client: Client) {
    drop(Client::take(client));
}

/// Runs a query and returns its rows. If the connection is lost, the statement is sent a second time, so this function
/// is only for statements that may safely run twice. If the server does not answer in time, the statement is not sent
/// again.
pub(super) async fn query(
    connections: &Connections,
    statement: &str,
    parameters: &[Parameter<'_>],
) -> Result<Vec<Row>, StoreError> {
    match query_once(connections, statement, parameters).await? {
        Err(lost) if lost.kind == StoreErrorKind::Unreachable => {
            query_once(connections, statement, parameters).await?
        }
        answer => answer,
    }
}

/// Runs a query about one session, as `query` does. The name of the session precedes the other parameters.
pub(super) async fn query_of(
    connections: &Connections,
    statement: &str,
    session: &SessionIdentity,
    others: &[Parameter<'_>],
) -> Result<Vec<Row>, StoreError> {
    let (channel, conversation) = (session.channel(), session.conversation());
    let mut parameters: Vec<Parameter<'_>> = vec![&channel, &conversation];
    parameters.extend_from_slice(others);
    query(connections, statement, &parameters).await
}

/// The outer result is an error if the server did not respond in time or no connection was available; the inner result
/// is the server's response, which may be an error.
type Answered<T> = Result<Result<T, StoreError>, StoreError>;

async fn query_once(
    connections: &Connections,
    statement: &str,
    parameters: &[Parameter<'_>],
) -> Answered<Vec<Row>> {
    let client = client(connections).await?;
    let asked = async {
        let prepared = client.prepare_cached(statement).await?;
        client.query(&prepared, parameters).await
    };
    match within("a statement", connections.deadlines.statement, asked).await {
        Ok(rows) => Ok(rows.map_err(|error| error::of(&error))),
        Err(late) => {
            discard(client);
            Err(late)
        }
    }
}
