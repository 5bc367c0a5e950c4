//! The errors that stores return.

use std::error::Error;
use std::fmt;

/// Why an operation of a store failed. A failed operation has changed nothing and may be retried, with one exception:
/// the outcome is unknown if the response from a server did not arrive, or if the store's file was removed, replaced
/// or truncated during the operation. After such an error, a session reads the store again; this process no longer
/// uses a file that was removed, replaced or truncated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    /// The kind of error, which determines how to react to it.
    pub kind: StoreErrorKind,
    /// A description of the error.
    pub message: String,
}

/// The kind of a store error, which determines how to react to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// The store cannot be reached: the URL of its server is invalid; its file does not exist, cannot be opened, or was
    /// replaced while it was in use; or there is no connection to its server.
    Unreachable,
    /// The store cannot be written to.
    ReadOnly,
    /// The store has no space left.
    Full,
    /// The store is busy, usually because of other processes; the operation may succeed later.
    Busy,
    /// The content of the store is damaged.
    Damaged,
    /// The address is not that of a store, the file or database is not a store of plan-machine, or this version or
    /// build of plan-machine cannot use it.
    Foreign,
    /// Any other error.
    Failed,
}

impl StoreErrorKind {
    /// Returns the name of this kind of error.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::ReadOnly => "read_only",
            Self::Full => "full",
            Self::Busy => "busy",
            Self::Damaged => "damaged",
            Self::Foreign => "foreign",
            Self::Failed => "failed",
        }
    }
}

impl StoreError {
    /// Creates an error.
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            StoreErrorKind::Unreachable => "the store cannot be reached",
            StoreErrorKind::ReadOnly => "the store cannot be written to",
            StoreErrorKind::Full => "the store is full",
            StoreErrorKind::Busy => "the store is busy",
            StoreErrorKind::Damaged => "the store is damaged",
            StoreErrorKind::Foreign => "plan-machine cannot use this store",
            StoreErrorKind::Failed => "the store failed",
        };
        write!(f, "{what}: {}", self.message)
    }
}

impl Error for StoreError {}
