//! The errors of a host.

use std::io;
use std::path::{Path, PathBuf};

use plan_machine::gate::Conflict;
use plan_machine::scope::ScopeError;
use plan_machine_sessions::SessionError;

/// The reason why an operation of a host failed. The text is meant for the person who uses the host.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// A session could not answer.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The machines of a mode are incompatible with the host's tools.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// A string or an id does not name a scope that the session can use.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// A file or a folder cannot be used.
    #[error("`{}` cannot be {doing}: {source}", .path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// The operation that failed: `read`, `written`, …
        doing: &'static str,
        /// The cause.
        source: io::Error,
    },
    /// A file of the host has unexpected content. The file is left unchanged.
    #[error("`{}` cannot be read: {why}", .file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// The problem and its location.
        why: String,
    },
    /// The terminal can no longer be read from or written to.
    #[error("the terminal failed: {0}")]
    Terminal(String),
    /// A person's input is invalid or cannot be carried out.
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

    /// Builds an error about a person's input.
    pub fn input(what: impl Into<String>) -> Self {
        Self::Input(what.into())
    }
}
