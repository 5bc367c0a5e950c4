//! Opens a store by its address.

use std::sync::Arc;

use super::{Memory, Store, StoreError, StoreErrorKind};

/// Whether to create a store that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    OrCreate,
    Existing,
}

/// Opens the store at an address: `sqlite:PATH`, `postgres:URL` (or the URL alone), or `memory`. The store is created
/// if it does not exist.
///
/// # Errors
///
/// If the address is invalid, the store cannot be reached, or this program was built without support for this kind of
/// store.
pub async fn open(address: &str) -> Result<Arc<dyn Store>, StoreError> {
    opened(address, Mode::OrCreate).await
}

/// Opens the store at an address. The store must already exist.
///
/// # Errors
///
/// In the same cases as [`open`], and if there is no such store.
pub async fn open_existing(address: &str) -> Result<Arc<dyn Store>, StoreError> {
    opened(address, Mode::Existing).await
}

async fn opened(address: &str, mode: Mode) -> Result<Arc<dyn Store>, StoreError> {
    if address == "memory" && mode == Mode::OrCreate {
        return Ok(Arc::new(Memory::new()));
    }
    if let Some(path) = address.strip_prefix("sqlite:") {
        return sqlite(path, mode);
    }
    if address.starts_with("postgres://") || address.starts_with("postgresql://") {
        return postgres(address, mode).await;
    }
    if let Some(url) = address.strip_prefix("postgres:") {
        return postgres(url, mode).await;
    }
    Err(StoreError::new(
        StoreErrorKind::Foreign,
        format!(
            "`{address}` is not the address of a store: expected `sqlite:PATH` or `postgres:URL`"
        ),
    ))
}

#[cfg(feature = "sqlite")]
fn sqlite(path: &str, mode: Mode) -> Result<Arc<dyn Store>, StoreError> {
    use super::Sqlite;
    Ok(Arc::new(match mode {
        Mode::OrCreate => Sqlite::open(path)?,
        Mode::Existing => Sqlite::open_existing(path)?,
    }))
}

#[cfg(not(feature = "sqlite"))]
fn sqlite(_: &str, _: Mode) -> Result<Arc<dyn Store>, StoreError> {
    Err(without("sqlite"))
}

#[cfg(feature = "postgres")]
async fn postgres(url: &str, mode: Mode) -> Result<Arc<dyn Store>, StoreError> {
    use super::Postgres;
    Ok(Arc::new(match mode {
        Mode::OrCreate => Postgres::connect(url).await?,
        Mode::Existing => Postgres::connect_existing(url).await?,
    }))
}

#[cfg(not(feature = "postgres"))]
async fn postgres(_: &str, _: Mode) -> Result<Arc<dyn Store>, StoreError> {
    std::future::ready(Err(without("postgres"))).await
}

#[cfg(not(all(feature = "sqlite", feature = "postgres")))]
fn without(feature: &str) -> StoreError {
    let message = format!(
        "this program was built without support for this kind of store: build it with `--features {feature}`"
    );
    StoreError::new(StoreErrorKind::Foreign, message)
}
