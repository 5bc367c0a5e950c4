//! Stores by the names that they have on the command line.

use std::path::Path;
use std::sync::Arc;

use plan_machine::session::SessionError;
use plan_machine::store::{Sqlite, Store, StoreError, StoreErrorKind};
use tokio::runtime::{Builder, Runtime};

use crate::output::Failure;

/// What to do where there is no such store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// It begins now.
    OrCreate,
    /// That is an error.
    Existing,
}

/// Opens a store: `sqlite:PATH` or `postgres:URL`.
pub(crate) async fn open(name: &str, opening: Opening) -> Result<Arc<dyn Store>, Failure> {
    if let Some(path) = name.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
        return sqlite(Path::new(path), opening).map_err(|error| cannot_open(name, &error));
    }
    if let Some(url) = postgres_url(name) {
        let opened = postgres(url).await;
        return opened.map_err(|error| cannot_open(name, &error));
    }
    let wrong = format!("`{}` names no store", without_password(name));
    Err(Failure::usage(wrong).help("stores are named `sqlite:PATH` and `postgres:URL`"))
}

fn sqlite(path: &Path, opening: Opening) -> Result<Arc<dyn Store>, StoreError> {
    Ok(Arc::new(match opening {
        Opening::OrCreate => Sqlite::open(path)?,
        Opening::Existing => Sqlite::open_existing(path)?,
    }))
}

#[expect(
    clippy::unused_async,
    reason = "the store of many hosts is being connected to"
)]
async fn postgres(_url: &str) -> Result<Arc<dyn Store>, StoreError> {
    let message = "this build has no store in `PostgreSQL`";
    Err(StoreError::new(StoreErrorKind::Failed, message))
}

/// `postgres:URL`; a URL of `PostgreSQL` stands for itself.
fn postgres_url(name: &str) -> Option<&str> {
    let is_url = |text: &str| text.starts_with("postgres://") || text.starts_with("postgresql://");
    if is_url(name) {
        return Some(name);
    }
    let url = name.strip_prefix("postgres:")?;
    Some(url).filter(|url| !url.is_empty())
}

fn cannot_open(name: &str, error: &StoreError) -> Failure {
    let name = without_password(name);
    let failure = Failure::usage(format!("cannot open `{name}`: {error}"));
    match error.kind {
        StoreErrorKind::Foreign => failure.help("nothing in it was changed"),
        _ => failure,
    }
}

/// A session that cannot answer, for a command that cannot go on without it.
pub(crate) fn failed(name: &str, error: &SessionError) -> Failure {
    Failure::usage(format!("`{}`: {error}", without_password(name)))
}

/// `postgres://ann:secret@host/plans` without what nobody should read over a shoulder.
pub(crate) fn without_password(name: &str) -> String {
    let Some((scheme, rest)) = name.split_once("://") else {
        return name.to_owned();
    };
    let authority = rest.split('/').next().unwrap_or_default();
    let password = authority.rsplit_once('@').and_then(|(user, host)| {
        let (user, _) = user.split_once(':')?;
        Some((user, host))
    });
    match password {
        Some((user, host)) => {
            let path = &rest[authority.len()..];
            format!("{scheme}://{user}:…@{host}{path}")
        }
        None => name.to_owned(),
    }
}

/// What runs the stores: this thread, while it waits for them.
pub(crate) fn runtime() -> Result<Runtime, Failure> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::usage(format!("cannot wait for a store: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        let shown = [
            (
                "postgres://ann:s:e@db:1/p?x=a@b",
                "postgres://ann:…@db:1/p?x=a@b",
            ),
            (
                "postgres:postgres://ann:s@db",
                "postgres:postgres://ann:…@db",
            ),
            ("postgres://ann@db/p", "postgres://ann@db/p"),
            ("sqlite:a:b@c.db", "sqlite:a:b@c.db"),
        ];
        for (name, wanted) in shown {
            assert_eq!(without_password(name), wanted);
        }
    }

    #[test]
    fn a_url_of_postgres_stands_for_itself() {
        assert_eq!(postgres_url("postgres://db"), Some("postgres://db"));
        assert_eq!(postgres_url("postgres:host=db"), Some("host=db"));
        let twice = "postgres:postgresql://db";
        assert_eq!(postgres_url(twice), Some("postgresql://db"));
        assert_eq!(postgres_url("postgres:"), None);
        assert_eq!(postgres_url("sqlite:x"), None);
    }
}
