//! The format of stored data. Each entry, snapshot and answer contains the number of its format.
//!
//! | format | properties |
//! |---|---|
//! | 1 | entries contain only events accepted by machines; the format number is not written |
//! | 2 | adds the format number, and entries that end a damaged plan |
//! | 3 | adds editions that are never reused, tokens with 128 bits of the digest of the content, snapshots that name their session, entries that restart a session, entries that record only the changes to a plan, and answers with a digest of the call |
//! | 4 | adds turns: entries that begin a turn, and the host tools that may run in it |
//!
//! Each stored text is read by the rules of its own format, and each entry is replayed by those rules, even if later
//! formats have different rules. [`Format`] has a method for every difference between formats, so all
//! differences are in one place.

use std::fmt;

use super::fields::{Bad, Fields};
use super::text::Pairs;

/// The format of an entry, snapshot or answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Format(u64);

impl Format {
    /// The format that this version of plan-machine writes. It is also the newest format that this version can read.
    pub const CURRENT: Self = Self(4);

    /// The first format, which was in use before formats were numbered.
    const FIRST: Self = Self(1);

    /// The last format in which answers do not contain a digest, so they cannot be compared with a call.
    pub(super) const WITHOUT_DIGESTS: Self = Self(2);

    /// Returns the format of a stored object.
    ///
    /// # Errors
    ///
    /// If the format number is invalid, or belongs to a format that only a newer version of plan-machine supports.
    pub(super) fn of(fields: Fields<'_>) -> Result<Self, ReadError> {
        match fields.maybe_number("format")? {
            None => Ok(Self::FIRST),
            Some(found @ (0 | 1)) => Err(ReadError::Wrong(format!(
                "`format` is {found}, but no version of plan-machine writes this number"
            ))),
            Some(found) if found > Self::CURRENT.0 => Err(ReadError::Newer { found }),
            Some(found) => Ok(Self(found)),
        }
    }

    /// Writes the format number. It must be the first field, because it determines how the other fields are read.
    pub(super) fn write(self, pairs: &mut Pairs<'_>) {
        if self > Self::FIRST {
            pairs.plain("format", self.0);
        }
    }

    /// Returns whether answers of this format record the sender and a digest of the call.
    pub(super) fn compares_calls(self) -> bool {
        self > Self::WITHOUT_DIGESTS
    }

    /// Returns whether entries of this format may restart a session.
    pub(super) fn restarts_sessions(self) -> bool {
        self >= Self(3)
    }

    /// Returns whether entries and snapshots of this format may contain turns.
    pub(super) fn notes_turns(self) -> bool {
        self >= Self(4)
    }

    /// Returns whether entries of this format may end a damaged plan.
    pub(super) fn ends_damaged_plans(self) -> bool {
        self > Self::FIRST
    }

    /// Returns whether entries of this format may contain changes to a plan, and references to other values of the
    /// entry.
    pub(super) fn tells_changes(self) -> bool {
        self >= Self(3)
    }

    /// Returns whether tokens in this format contain only eight hexadecimal digits of the digest of the content.
    pub(crate) fn shortens_tokens(self) -> bool {
        self < Self(3)
    }

    /// Returns whether, in entries of this format, the numbering of editions starts over with each plan.
    pub(crate) fn editions_restart(self) -> bool {
        self < Self(3)
    }

    /// Returns whether snapshots of this format contain the identity of their session. Snapshots without the identity
    /// are not trusted: the session's content is rebuilt from its entries.
    pub(crate) fn names_sessions(self) -> bool {
        self >= Self(3)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Why an entry, snapshot or answer cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// A newer version of plan-machine wrote the text.
    Newer {
        /// The format of the text.
        found: u64,
    },
    /// The text is an entry that contains changes since an earlier entry, which is not available.
    Onto {
        /// The number of the earlier entry.
        seq: u64,
    },
    /// The text is invalid: no version of plan-machine writes such text.
    Wrong(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Newer { found } => write!(
                f,
                "written by a newer version of plan-machine: format {found}, \
                 but this version reads only formats up to {}",
                Format::CURRENT
            ),
            Self::Onto { seq } => write!(
                f,
                "the entry contains changes since entry {seq}, which cannot be read"
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
