//! Why the bot does not start, or why it ended.

use std::path::Path;

use plan_machine_host::HostError;
use plan_machine_sessions::store::StoreError;

/// Why the bot does not start, or why it ended.
#[derive(Debug, thiserror::Error)]
pub enum BotError {
    /// The host could not do something.
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
    /// Describes what is wrong with a file or a folder.
    pub(crate) fn at(path: &Path, why: &dyn std::fmt::Display) -> Self {
        Self::Refused(format!("`{}`: {why}", path.display()))
    }
}
