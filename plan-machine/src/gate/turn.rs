//! Turns: the work that follows from a person's message.

use std::hash::{BuildHasher, RandomState};
use std::time::SystemTime;

use super::floor::Floor;

/// Identifies a turn. The host chooses the id, such as the id that its chat gives to the person's message: if the
/// message is delivered twice, the second delivery continues the turn instead of beginning another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnId(String);

impl TurnId {
    /// Returns an id for a turn, such as the id of the message that begins the turn.
    pub fn new(id: impl Into<String>) -> Self {
        Self(id.into())
    }

    /// Returns an id that no other turn has, for hosts whose messages have no ids.
    #[must_use]
    pub fn unique() -> Self {
        let now = SystemTime::now();
        let half = || RandomState::new().hash_one(now);
        Self(format!("{:016x}{:016x}", half(), half()))
    }

    /// Returns the id as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A turn: its id, and the host tools that may run in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The id that the host has chosen.
    pub id: TurnId,
    /// The host tools that could run when the turn began, and those that a person has opened since.
    pub floor: Floor,
}
