//! The place of an entry among those of all sessions.

use std::fmt;
use std::str::FromStr;

/// A place in the order in which a store keeps the entries of all sessions. Only its own store knows what a place
/// means; a watcher can save it, parse it again, and continue from there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The transaction, if a store has several at a time.
    pub transaction: u64,
    /// The number.
    pub number: u64,
}

impl Place {
    /// The place before all entries.
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
        parts.ok_or_else(|| format!("`{text}` is not a place such as `0.17`"))
    }
}
