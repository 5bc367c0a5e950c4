//! Opens stores by their addresses on the command line.

use std::sync::Arc;

use plan_machine_sessions::SessionError;
use plan_machine_sessions::store::{Store, StoreError, StoreErrorKind, without_password};
use tokio::runtime::{Builder, Runtime};

use crate::output::Failure;

/// What to do if the store does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Create the store if it does not exist.
    OrCreate,
    /// Report an error if the store does not exist.
    Existing,
}

/// Opens a store: `sqlite:PATH` or `postgres:URL`.
pub(crate) async fn open(name: &str, opening: Opening) -> Result<Arc<dyn Store>, Failure> {
    open_at(name, name, opening).await
}

/// Opens a store at an address. `name` is how the user has named the store.
pub(crate) async fn open_at(
    name: &str,
    address: &str,
    opening: Opening,
) -> Result<Arc<dyn Store>, Failure> {
    let path = name.strip_prefix("sqlite:");
    let known = path.is_some_and(|path| !path.is_empty())
        || name.starts_with("postgresql://")
        || name
            .strip_prefix("postgres:")
            .is_some_and(|url| !url.is_empty());
    if !known {
        let wrong = format!("`{}` is not a store", without_password(name));
        return Err(Failure::usage(wrong).help("a store is `sqlite:PATH` or `postgres:URL`"));
    }
    let opened = match opening {
        Opening::OrCreate => plan_machine_sessions::store::open(address).await,
        Opening::Existing => plan_machine_sessions::store::open_existing(address).await,
    };
    opened.map_err(|error| cannot_open(name, &error))
}

fn cannot_open(name: &str, error: &StoreError) -> Failure {
    let name = without_password(name);
    let failure = Failure::usage(format!("cannot open `{name}`: {error}"));
    match error.kind {
        StoreErrorKind::Foreign => failure.help("the file or database was not changed"),
        _ => failure,
    }
}

/// Closes a store after a command, so that its file is complete if it is copied. If the command has
/// failed, its error is reported even if the store cannot be closed either.
pub(crate) async fn close<T>(
    name: &str,
    store: &dyn Store,
    done: Result<T, Failure>,
) -> Result<T, Failure> {
    let closed = store.close().await;
    let done = done?;
    let name = without_password(name);
    closed.map_err(|error| Failure::usage(format!("cannot close `{name}`: {error}")))?;
    Ok(done)
}

/// Returns the failure of a command that cannot continue because its session failed.
pub(crate) fn failed(name: &str, error: &SessionError) -> Failure {
    Failure::usage(format!("`{}`: {error}", without_password(name)))
}

/// Returns a runtime for the stores, on the current thread.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::usage(format!("cannot start the runtime for stores: {error}")))
}
