//! The error for values that are not scopes.

use std::error::Error;
use std::fmt;

/// Why a value is not a scope. Such a value is never treated as a wider scope instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeError {
    /// A part of an identity, an id or an actor is blank.
    Blank {
        /// The name of the part.
        part: &'static str,
    },
    /// A stored string is not a key of any level.
    Unreadable {
        /// The string.
        text: String,
    },
    /// The scope belongs to another session.
    OtherSession {
        /// The key as a string.
        text: String,
    },
    /// An item has no scope, and the scopes document does not define how to treat such items.
    Missing,
}

impl fmt::Display for ScopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blank { part } => write!(f, "the `{part}` is blank"),
            Self::Unreadable { text } => write!(f, "`{text}` is not a scope key of any level"),
            Self::OtherSession { text } => {
                write!(f, "the scope `{text}` belongs to another session")
            }
            Self::Missing => f.write_str("the item has no scope"),
        }
    }
}

impl Error for ScopeError {}
