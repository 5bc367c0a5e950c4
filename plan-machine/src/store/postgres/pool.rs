//! Connections: kept open, checked before they are used, made anew when they are gone.

use std::time::Duration;

use deadpool_postgres::{
    Client, Hook, HookError, Manager, ManagerConfig, Pool, RecyclingMethod, Runtime,
};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Config, Row, Socket};

use super::error;
use crate::store::{StoreError, StoreErrorKind};

/// How long to wait for a server to take a connection, unless the configuration says.
const CONNECT: Duration = Duration::from_secs(10);

/// How long to wait for one of the connections to be free.
const WAIT: Duration = Duration::from_secs(30);

/// What is stored is on disk before the server says so, even where it is set up to be quicker; other
/// settings, such as to wait for a replica, are the host's to make. And a commit that has waited for
/// another looks at what that one has left, even where the server is stricter. No statement takes
/// so long that compiling it would pay.
const SETTINGS: &str = "
    SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SET jit = off;
    SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off'";

/// A parameter of a statement.
pub(super) type Parameter<'a> = &'a (dyn ToSql + Sync);

/// The configuration, with an end to waiting for a server that is not there.
pub(super) fn with_limits(mut config: Config) -> Config {
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT);
    }
    if config.get_application_name().is_none() {
        config.application_name("plan-machine");
    }
    config
}

/// Connections that are made when they are needed.
pub(super) fn open<T>(config: Config, tls: T, connections: usize) -> Result<Pool, StoreError>
where
    T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
    T::Stream: Send + Sync,
    T::TlsConnect: Send + Sync,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    let manager = ManagerConfig {
        // Whether it is closed; asking the server would be a round trip more for each commit.
        recycling_method: RecyclingMethod::Fast,
    };
    let settings = Hook::async_fn(|client: &mut deadpool_postgres::ClientWrapper, _| {
        Box::pin(async move {
            let set = client.simple_query(SETTINGS).await;
            set.map(drop).map_err(HookError::Backend)
        })
    });
    let pool = Pool::builder(Manager::from_config(config, tls, manager))
        .max_size(connections.max(1))
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(WAIT))
        .post_create(settings)
        .build();
    pool.map_err(|error| StoreError::new(StoreErrorKind::Failed, error.to_string()))
}

/// One of the connections.
pub(super) async fn client(pool: &Pool) -> Result<Client, StoreError> {
    pool.get().await.map_err(error::of_pool)
}

/// Asks for rows. This may be sent twice, where the connection turns out to be lost: so it is for
/// statements that may.
pub(super) async fn query(
    pool: &Pool,
    statement: &str,
    parameters: &[Parameter<'_>],
) -> Result<Vec<Row>, StoreError> {
    match query_once(pool, statement, parameters).await {
        Err(lost) if lost.kind == StoreErrorKind::Unreachable => {
            query_once(pool, statement, parameters).await
        }
        answer => answer,
    }
}

async fn query_once(
    pool: &Pool,
    statement: &str,
    parameters: &[Parameter<'_>],
) -> Result<Vec<Row>, StoreError> {
    let client = client(pool).await?;
    let prepared = client.prepare_cached(statement).await;
    let prepared = prepared.map_err(|error| error::of(&error))?;
    let rows = client.query(&prepared, parameters).await;
    rows.map_err(|error| error::of(&error))
}
