//! Which store is meant, in one text.

use std::sync::Arc;

use super::{Store, StoreError, StoreErrorKind};

/// Opens the store that a text names: `sqlite:PATH`, `postgres:URL` (or the URL alone), or `memory`.
///
/// # Errors
///
/// Where the text names no store, the store cannot be reached, or this program was built without it.
pub async fn open(address: &str) -> Result<Arc<dyn Store>, StoreError> {
    if address == "memory" {
        return Ok(Arc::new(super::Memory::new()));
    }
    if let Some(path) = address.strip_prefix("sqlite:") {
        return sqlite(path);
    }
    if address.starts_with("postgres://") || address.starts_with("postgresql://") {
        return postgres(address).await;
    }
    if let Some(url) = address.strip_prefix("postgres:") {
        return postgres(url).await;
    }
    Err(StoreError::new(
        StoreErrorKind::Foreign,
        format!("`{address}` is neither `sqlite:PATH` nor `postgres:URL`"),
    ))
}

#[cfg(feature = "sqlite")]
fn sqlite(path: &str) -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(super::Sqlite::open(path)?))
}

#[cfg(not(feature = "sqlite"))]
fn sqlite(_: &str) -> Result<Arc<dyn Store>, StoreError> {
    Err(without("sqlite"))
}

#[cfg(feature = "postgres")]
async fn postgres(url: &str) -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(super::Postgres::connect(url).await?))
}

#[cfg(not(feature = "postgres"))]
async fn postgres(_: &str) -> Result<Arc<dyn Store>, StoreError> {
    std::future::ready(Err(without("postgres"))).await
}

#[cfg(not(all(feature = "sqlite", feature = "postgres")))]
fn without(feature: &str) -> StoreError {
    let message = format!("this program was built without the feature `{feature}` of plan-machine");
    StoreError::new(StoreErrorKind::Foreign, message)
}
