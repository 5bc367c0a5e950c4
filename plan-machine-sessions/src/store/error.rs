//! Why a store could not do what it was asked.

use std::error::Error;
use std::fmt;

/// A store could not do what it was asked, and may be asked again. Nothing has changed; only where a
/// connection was lost before the answer came, it is not known, and a session reads the store again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    /// What can be done about it.
    pub kind: StoreErrorKind,
    /// In words.
    pub message: String,
}

/// What can be done about an error of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// It cannot be reached: no such file, no connection, or one that was lost.
    Unreachable,
    /// It cannot be written to.
    ReadOnly,
    /// There is no room left.
    Full,
    /// Somebody else holds it for longer than one should.
    Busy,
    /// What it holds is damaged.
    Damaged,
    /// It is not a store of plan-machine, or one of a newer version.
    Foreign,
    /// Anything else.
    Failed,
}

impl StoreErrorKind {
    /// In a word.
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
    /// An error.
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
