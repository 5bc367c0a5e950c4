//! Connections: kept open, checked before they are used, and replaced when they are lost.

use std::time::Duration;

use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime,
};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Row, Socket};

use super::deadlines::{Deadlines, within};
use super::error;
use crate::store::{StoreError, StoreErrorKind};

/// How long to wait for a free connection.
const WAIT: Duration = Duration::from_secs(30);

/// Stored data is on disk before the server confirms it, even if the server is configured to be faster; other settings,
/// such as waiting for a replica, are up to the host. A commit that has waited for another one sees what that one
/// stored, even if the server is stricter. No statement takes long enough for compiling it to pay off.
const SETTINGS: &str = "
    SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SET jit = off;
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off'";

/// Connections, and how long to wait for their answers.
pub(super) struct Connections {
    pub(super) pool: Pool,
    pub(super) deadlines: Deadlines,
}

/// How long a connection may be silent before the system checks whether it is alive.
const SILENT: Duration = Duration::from_secs(60);

/// A parameter of a statement.
pub(super) type Parameter<'a> = &'a (dyn ToSql + Sync);

/// Returns the configuration with a limit on waiting for an unreachable server, and the deadlines adjusted to it.
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

/// Returns connections that are opened on demand.
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
        // Only checks whether the connection is closed; asking the server would cost each commit a round trip.
        recycling_method: RecyclingMethod::Fast,
    };
    // The server also cancels a statement that no one is waiting for anymore.
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

/// Returns one of the connections.
pub(super) async fn client(connections: &Connections) -> Result<Client, StoreError> {
    connections.pool.get().await.map_err(error::of_pool)
}

/// Drops a connection that does not answer: no one should wait for it again.
pub(super) fn discard(client: Client) {
    drop(Client::take(client));
}

/// Queries rows. The statement may be sent twice if the connection turns out to be lost, so this is only for statements
/// that tolerate that. A server that does not answer in time is not asked again.
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

/// The server's answer, or the reason why there is none.
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
