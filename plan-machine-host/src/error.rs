//! Why a host could not do something.

use std::io;
use std::path::{Path, PathBuf};

use plan_machine::gate::Conflict;
use plan_machine::scope::ScopeError;
use plan_machine_sessions::SessionError;

/// Why a host could not do something. The text is meant for the person who talks to the host.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// A session could not answer.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The machines of a mode and the host's tools do not fit together.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// An item is not in the scope it was looked for in.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// A file or a folder cannot be used.
    #[error("`{}` cannot be {doing}: {source}", .path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// What could not be done with it: `read`, `written`, …
        doing: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// A file of the host has unexpected content. It is left as it is.
    #[error("`{}` cannot be read: {why}", .file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong, and where.
        why: String,
    },
    /// The terminal can no longer be read or written.
    #[error("the terminal failed: {0}")]
    Terminal(String),
    /// What a person typed cannot be done.
    #[error("{0}")]
    Input(String),
}

impl HostError {
    /// Builds an error about a file or a folder, for `map_err`.
    pub(crate) fn disk(path: &Path, doing: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Disk {
            path: path.to_owned(),
            doing,
            source,
        }
    }

    /// Builds an error about what a person typed.
    pub fn input(what: impl Into<String>) -> Self {
        Self::Input(what.into())
    }
}
