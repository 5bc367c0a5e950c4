//! The position of an entry among the entries of all sessions.

use std::fmt;
use std::str::FromStr;

/// A position in the order in which a store returns the entries of all sessions. A position has a meaning only for the
/// store that it came from; a watcher can save it as a string, parse it later, and continue from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The number of the transaction that stored the entry; 0 in stores that have only one transaction at a time.
    pub transaction: u64,
    /// The number of the entry among the entries of all sessions.
    pub number: u64,
}

impl Place {
    /// The position before all entries.
    pub const START: Self = Self {
        transaction: 0,
        number: 0,
    };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.transaction, self.number)
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('.');
        let parts = parts.and_then(|(transaction, number)| {
            Some(Self {
                transaction: transaction.parse().ok()?,
                number: number.parse().ok()?,
            })
        });
        parts.ok_or_else(|| {
            format!("`{text}` is not a position: expected two numbers with a dot between them, such as `0.17`")
        })
    }
}
