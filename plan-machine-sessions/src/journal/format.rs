//! The format of what is stored: one number in each entry, snapshot and answer.
//!
//! | format | has |
//! |---|---|
//! | 1 | events that machines took; the number is not written |
//! | 2 | the number, and entries that end a damaged plan |
//! | 3 | editions that are never used twice, tokens with 128 bits of the digest, snapshots that name their session, entries that restart one, entries that say what has changed in a plan, answers with a digest of the call |
//!
//! A text is read, and an entry replayed, by the rules of its own format, whatever later ones have
//! added. Whatever differs between formats is a method of [`Format`], so that all of it is found here.

use std::fmt;

use super::fields::{Bad, Fields};
use super::text::Pairs;

/// The format of a stored text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Format(u64);

impl Format {
    /// The format that this version writes, and the last one that it reads.
    pub const CURRENT: Self = Self(3);

    /// The format before there was a number.
    const FIRST: Self = Self(1);

    /// The last format of answers that cannot be compared with a call.
    pub(super) const WITHOUT_DIGESTS: Self = Self(2);

    /// The format of a stored object.
    ///
    /// # Errors
    ///
    /// Where the number is none, or one of a format that only a newer version reads.
    pub(super) fn of(fields: Fields<'_>) -> Result<Self, ReadError> {
        match fields.maybe_number("format")? {
            None => Ok(Self::FIRST),
            Some(0 | 1) => Err(ReadError::Wrong(
                "no text has the number of its format 0 or 1".to_owned(),
            )),
            Some(found) if found > Self::CURRENT.0 => Err(ReadError::Newer { found }),
            Some(found) => Ok(Self(found)),
        }
    }

    /// Writes the number, which is the first thing to be read.
    pub(super) fn write(self, pairs: &mut Pairs<'_>) {
        if self > Self::FIRST {
            pairs.plain("format", self.0);
        }
    }

    /// Whether answers of this format say whose call it was, with a digest of it.
    pub(super) fn compares_calls(self) -> bool {
        self > Self::WITHOUT_DIGESTS
    }

    /// Whether entries of this format may restart a session.
    pub(super) fn restarts_sessions(self) -> bool {
        self >= Self(3)
    }

    /// Whether entries of this format may end a damaged plan.
    pub(super) fn ends_damaged_plans(self) -> bool {
        self > Self::FIRST
    }

    /// Whether entries of this format may say what has changed in a plan, and refer to what they hold
    /// elsewhere.
    pub(super) fn tells_changes(self) -> bool {
        self >= Self(3)
    }

    /// Whether tokens have only eight digits of the digest in texts of this format.
    pub(crate) fn shortens_tokens(self) -> bool {
        self < Self(3)
    }

    /// Whether editions begin again with each plan in entries of this format.
    pub(crate) fn editions_restart(self) -> bool {
        self < Self(3)
    }

    /// Whether snapshots of this format name their session. Others are not believed: what they hold is
    /// put together from the entries.
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
    /// It says what has changed since an earlier entry, which is not at hand.
    Onto {
        /// The number of that entry.
        seq: u64,
    },
    /// It is not what any version writes.
    Wrong(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newer { found } => write!(
                f,
                "written by a newer version of plan-machine: format {found}, this one reads up to {}",
                Format::CURRENT
            ),
            Self::Onto { seq } => write!(
                f,
                "it says what has changed since entry {seq}, which cannot be read"
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
