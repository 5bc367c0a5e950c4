//! The ways to connect to a database.

use std::sync::Arc;

use tokio::sync::watch;
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Config, NoTls, Socket};

use super::deadlines::Deadlines;
use super::listen::Listening;
use super::pool::{self, Connections};
use super::{Postgres, error, schema};
use crate::store::StoreError;
use crate::store::lost::LostSessions;

/// The default maximum number of connections of a store.
const CONNECTIONS: usize = 16;

impl Postgres {
    /// Connects without TLS to an address such as `postgres://user:password@host/database`, and creates the tables if
    /// they do not exist. The address may contain [`Deadlines`].
    ///
    /// # Errors
    ///
    /// If the address is invalid, if the database cannot be reached, or if its content is incompatible with this
    /// version of plan-machine.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        let (config, deadlines) = configured(url)?;
        Self::connect_with(config, NoTls, CONNECTIONS, deadlines).await
    }

    /// Connects with this configuration, this TLS implementation, and at most `connections` connections, not counting
    /// the one that listens for notifications. A `connect_timeout` in the configuration takes precedence over the one
    /// in the deadlines.
    ///
    /// # Errors
    ///
    /// If the database cannot be reached, or its content is incompatible with this version of plan-machine.
    pub async fn connect_with<T>(
        config: Config,
        tls: T,
        connections: usize,
        deadlines: Deadlines,
    ) -> Result<Self, StoreError>
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + Sync,
        T::TlsConnect: Send + Sync,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let (config, deadlines) = pool::with_limits(config, deadlines);
        let pool = pool::open(config.clone(), tls.clone(), connections, deadlines)?;
        schema::prepare(&pool).await?;
        Ok(Self::of(config, tls, pool))
    }

    /// Connects without TLS to a database that already contains the tables; does not create a store. A table that an
    /// earlier version of plan-machine did not create is added. If the database was copied from another server, new
    /// entries get positions after the copied ones.
    ///
    /// # Errors
    ///
    /// If the address is invalid, if the database cannot be reached or does not contain the tables, if one of these
    /// changes is necessary but the database user has no permission to make it, or if the content of the database is
    /// incompatible with this version of plan-machine.
    pub async fn connect_existing(url: &str) -> Result<Self, StoreError> {
        let (config, deadlines) = configured(url)?;
        let (config, deadlines) = pool::with_limits(config, deadlines);
        let pool = pool::open(config.clone(), NoTls, CONNECTIONS, deadlines)?;
        schema::find(&pool).await?;
        Ok(Self::of(config, NoTls, pool))
    }

    fn of<T>(config: Config, tls: T, pool: Connections) -> Self
    where
        T: MakeTlsConnect<Socket> + Clone + Send + Sync + 'static,
        T::Stream: Send + Sync,
        T::TlsConnect: Send + Sync,
        <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
    {
        let changes = Arc::new(watch::Sender::new(0));
        let listening = Listening::start(config, tls, Arc::clone(&changes), pool.deadlines);
        Self {
            pool,
            changes,
            listening,
            lost: LostSessions::default(),
        }
    }
}

/// Returns the configuration and the deadlines of an address.
fn configured(url: &str) -> Result<(Config, Deadlines), StoreError> {
    let (url, deadlines) = Deadlines::of(url)?;
    let config = url.parse().map_err(|error| error::of_url(&error))?;
    Ok((config, deadlines))
}
