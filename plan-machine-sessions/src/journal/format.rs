//! The format of stored data: one number in each entry, snapshot and answer.
//!
//! | format | has |
//! |---|---|
//! | 1 | events accepted by machines; the number is not written |
//! | 2 | the number, and entries that end a damaged plan |
//! | 3 | editions that are never reused, tokens with 128 bits of the digest, snapshots that name their session, entries that restart a session, entries that record the changes to a plan, answers with a digest of the call |
//!
//! Stored text is read, and an entry replayed, by the rules of its own format, whatever later formats have added. Every
//! difference between formats is a method of [`Format`], so all of them are in one place.

use std::fmt;

use super::fields::{Bad, Fields};
use super::text::Pairs;

/// The format of a stored text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Format(u64);

impl Format {
    /// The format that this version writes, and the last one that it reads.
    pub const CURRENT: Self = Self(3);

    /// The format from before formats were numbered.
    const FIRST: Self = Self(1);

    /// The last format of answers that cannot be compared with a call.
    pub(super) const WITHOUT_DIGESTS: Self = Self(2);

    /// Returns the format of a stored object.
    ///
    /// # Errors
    ///
    /// If the number is invalid, or belongs to a format that only a newer version supports.
    pub(super) fn of(fields: Fields<'_>) -> Result<Self, ReadError> {
        match fields.maybe_number("format")? {
            None => Ok(Self::FIRST),
            Some(0 | 1) => Err(ReadError::Wrong(
                "`format` is 0 or 1, which no version writes".to_owned(),
            )),
            Some(found) if found > Self::CURRENT.0 => Err(ReadError::Newer { found }),
            Some(found) => Ok(Self(found)),
        }
    }

    /// Writes the number, which is read first.
    pub(super) fn write(self, pairs: &mut Pairs<'_>) {
        if self > Self::FIRST {
            pairs.plain("format", self.0);
        }
    }

    /// Tells whether answers of this format record the sender and a digest of the call.
    pub(super) fn compares_calls(self) -> bool {
        self > Self::WITHOUT_DIGESTS
    }

    /// Tells whether entries of this format may restart a session.
    pub(super) fn restarts_sessions(self) -> bool {
        self >= Self(3)
    }

    /// Tells whether entries of this format may end a damaged plan.
    pub(super) fn ends_damaged_plans(self) -> bool {
        self > Self::FIRST
    }

    /// Tells whether entries of this format may contain changes to a plan, and references within the entry.
    pub(super) fn tells_changes(self) -> bool {
        self >= Self(3)
    }

    /// Tells whether tokens in texts of this format have only eight digits of the digest.
    pub(crate) fn shortens_tokens(self) -> bool {
        self < Self(3)
    }

    /// Tells whether editions start over with each plan in entries of this format.
    pub(crate) fn editions_restart(self) -> bool {
        self < Self(3)
    }

    /// Tells whether snapshots of this format name their session. Others are not trusted: their content is rebuilt
    /// from the entries.
    pub(crate) fn names_sessions(self) -> bool {
        self >= Self(3)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Why a stored text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// A newer version of plan-machine wrote it.
    Newer {
        /// Its format.
        found: u64,
    },
    /// It contains changes since an earlier entry that is not available.
    Onto {
        /// The number of that entry.
        seq: u64,
    },
    /// No version writes such a text.
    Wrong(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newer { found } => write!(
                f,
                "written by a newer version of plan-machine: format {found}, but this version reads only up to {}",
                Format::CURRENT
            ),
            Self::Onto { seq } => write!(
                f,
                "it contains changes since entry {seq}, which cannot be read"
            ),
            Self::Wrong(problem) => f.write_str(problem),
        }
    }
}

impl std::error::Error for ReadError {}

impl From<Bad> for ReadError {
    fn from(problem: Bad) -> Self {
        Self::Wrong(problem)
    }
}

impl From<&str> for ReadError {
    fn from(problem: &str) -> Self {
        Self::Wrong(problem.to_owned())
    }
}
