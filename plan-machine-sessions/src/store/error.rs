//! Why a store failed.

use std::error::Error;
use std::fmt;

/// Why a store failed; the operation may be retried. Nothing has changed, unless a connection was lost before the
/// answer arrived: the outcome is then unknown, and a session reads the store again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    /// The kind, which determines what can be done about it.
    pub kind: StoreErrorKind,
    /// A description.
    pub message: String,
}

/// The kind of a store error, which determines what can be done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// It cannot be reached: there is no such file or no connection, or the connection was lost.
    Unreachable,
    /// It cannot be written to.
    ReadOnly,
    /// There is no space left.
    Full,
    /// It has been in use by others for too long.
    Busy,
    /// Its content is damaged.
    Damaged,
    /// It is not a store of plan-machine, or belongs to a newer version.
    Foreign,
    /// Anything else.
    Failed,
}

impl StoreErrorKind {
    /// Returns a one-word description.
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
            StoreErrorKind::Foreign => "this is not a usable store",
            StoreErrorKind::Failed => "the store failed",
        };
        write!(f, "{what}: {}", self.message)
    }
}

impl Error for StoreError {}
