//! Why the bot does not start, or ends.

use std::path::Path;

use plan_machine_host::HostError;
use plan_machine_sessions::store::StoreError;

/// Why the bot does not start, or ends.
#[derive(Debug, thiserror::Error)]
pub enum BotError {
    /// The host could not do something.
    #[error(transparent)]
    Host(#[from] HostError),
    /// The store cannot be opened or closed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system refused something.
    #[error(transparent)]
    System(#[from] std::io::Error),
    /// What was asked for cannot be done so.
    #[error("{0}")]
    Refused(String),
}

impl BotError {
    /// Says what is wrong with a file or a folder.
    pub(crate) fn at(path: &Path, why: &dyn std::fmt::Display) -> Self {
        Self::Refused(format!("`{}`: {why}", path.display()))
    }
}
