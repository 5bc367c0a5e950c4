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
/// If the address is invalid, the store cannot be reached or used, or this program was built without support for this
/// kind of store.
pub async fn open(address: &str) -> Result<Arc<dyn Store>, StoreError> {
    opened(address, Mode::OrCreate).await
}

/// Opens the store at an address. The store must already exist, so the address `memory` is refused.
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
    let shown = without_password(address);
    Err(StoreError::new(
        StoreErrorKind::Foreign,
        format!(
            "`{shown}` is not the address of a store: expected `sqlite:PATH` or `postgres:URL`"
        ),
    ))
}

/// Returns an address in a form that may be shown: without anything that may be a password or a part of a password.
///
/// ```
/// use plan_machine_sessions::store::without_password;
///
/// let shown = without_password("postgres://ann:secret@host/plans");
/// assert_eq!(shown, "postgres://ann:…@host/plans");
/// ```
#[must_use]
pub fn without_password(address: &str) -> String {
    if address.starts_with("sqlite:") {
        return address.to_owned();
    }
    let (kind, url) = match address.strip_prefix("postgres:") {
        Some(url) if !url.starts_with("//") => ("postgres:", url),
        _ => ("", address),
    };
    let is_word = |word: &str| !word.is_empty() && word.chars().all(char::is_alphanumeric);
    let shown = match url.split_once("://") {
        Some((scheme, rest)) if is_word(scheme) => format!("{scheme}://{}", shown_url(rest)),
        // This is a list such as `host=localhost password=secret`, or a misspelled address.
        _ if url.contains(['=', '@', '?']) => "…".to_owned(),
        _ => url.to_owned(),
    };
    format!("{kind}{shown}")
}

/// Returns the part of an address such as `user:password@host/database?options` that may be shown. A password may
/// contain any character, and may also be one of the options.
fn shown_url(url: &str) -> String {
    let (authority, rest) = url.split_at(url.find(['/', '?', '#']).unwrap_or(url.len()));
    if rest.contains('@') {
        return "…".to_owned();
    }
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((user, _)) => format!("{user}:…@{host}"),
            None => authority.to_owned(),
        },
        None => authority.to_owned(),
    };
    let (path, options) = rest.split_at(rest.find(['?', '#']).unwrap_or(rest.len()));
    let options = if options.is_empty() { "" } else { "?…" };
    format!("{authority}{path}{options}")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        let shown = [
            ("postgres://ann:s:e@db:1/p", "postgres://ann:…@db:1/p"),
            (
                "postgres:postgres://ann:s@db",
                "postgres:postgres://ann:…@db",
            ),
            ("postgres://ann@db/p", "postgres://ann@db/p"),
            (
                "postgresql://db:1/p?user=bob&password=secret",
                "postgresql://db:1/p?…",
            ),
            ("postgres://bob:se/cret@db/p", "postgres://…"),
            ("postgres://bob:se?cret@db/p", "postgres://…"),
            ("postgres://bob:se#cret@db/p", "postgres://…"),
            ("postgres://bob:s@cret@db/p", "postgres://bob:…@db/p"),
            ("postgres:host=db password=secret", "postgres:…"),
            ("postgres:password=a://secret host=db", "postgres:…"),
            ("postgre://bob:secret@db", "postgre://bob:…@db"),
            ("bob:secret@db", "…"),
            ("sqlit:plans.db", "sqlit:plans.db"),
            ("sqlite:a:b@c.db", "sqlite:a:b@c.db"),
        ];
        for (address, wanted) in shown {
            assert_eq!(without_password(address), wanted, "{address}");
        }
    }
}
