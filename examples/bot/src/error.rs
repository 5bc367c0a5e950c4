//! The errors of the bot.

use std::path::Path;

use plan_machine_host::HostError;
use plan_machine_sessions::store::StoreError;

/// The reason why the bot did not start, or why it ended.
#[derive(Debug, thiserror::Error)]
pub enum BotError {
    /// An operation of the host failed.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The store cannot be opened or closed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An operation of the system failed.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// The request cannot be carried out.
    #[error("{0}")]
    Refused(String),
}

impl BotError {
    /// Converts an error whose type has no variant of its own in `BotError`.
    #[cfg(feature = "page")]
    pub(crate) fn refused(error: impl std::fmt::Display) -> Self {
        Self::Refused(error.to_string())
    }

    /// Builds an error about a file or a folder.
    pub(crate) fn at(path: &Path, why: &dyn std::fmt::Display) -> Self {
        Self::Refused(format!("`{}`: {why}", path.display()))
    }
}
