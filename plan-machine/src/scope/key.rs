//! Scope keys and their parts.

use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use super::ScopeError;

/// The key under which a part of an agent's memory is stored: the key pattern of a level, filled in
/// for one session and its run.
///
/// A key can be created only from a run or from a session's identity. Keys that belong to different sessions differ,
/// even if their strings are equal; a key of a shared level belongs to no session.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeKey {
    level: &'static str,
    text: Arc<str>,
    partition: Option<Partition>,
}

impl ScopeKey {
    pub(super) fn new(
        level: &'static str,
        text: impl Into<Arc<str>>,
        partition: Option<Partition>,
    ) -> Self {
        Self {
            level,
            text: text.into(),
            partition,
        }
    }

    /// Returns the name of the key's level.
    #[must_use]
    pub fn level(&self) -> &'static str {
        self.level
    }

    /// Returns the string that is stored with items, such as `goal:web:4711:g1`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the session that the key belongs to; `None` if all sessions share the key. A store must keep the items
    /// of each partition separate from those of all others.
    #[must_use]
    pub fn partition(&self) -> Option<&Partition> {
        self.partition.as_ref()
    }
}

impl fmt::Display for ScopeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Serializes only the string, which is stored with an item. The partition determines where the item is stored.
impl Serialize for ScopeKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// A session's identity as a single string; different identities have different strings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition(Arc<str>);

impl Partition {
    /// Returns the partition as a string slice.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the partition of a session whose identity has these parts.
#[must_use]
pub fn partition(parts: &[&str]) -> Partition {
    let parts: Vec<String> = parts.iter().map(|part| escaped(part)).collect();
    Partition(parts.join(":").into())
}

/// Checks that a part of an identity, or an id, is not blank: a blank part was probably forgotten, and all sessions
/// with a forgotten part would share a key.
///
/// # Errors
/// [`ScopeError::Blank`].
pub fn checked(part: &'static str, text: impl Into<Arc<str>>) -> Result<Arc<str>, ScopeError> {
    let text = text.into();
    if text.trim().is_empty() {
        return Err(ScopeError::Blank { part });
    }
    Ok(text)
}

/// Encodes a part for a key: the colon, which separates parts, and the escape character are escaped, so that different
/// parts never produce the same string.
pub(super) fn escaped(part: &str) -> String {
    part.replace('%', "%25").replace(':', "%3A")
}

/// Decodes a part; returns `None` if the string is not in the form that [`escaped`] produces.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let part = text.replace("%3A", ":").replace("%25", "%");
    (escaped(&part) == text).then_some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_with_colons_and_percent_signs_keep_apart() {
        let texts = [
            "a:b", "a%3Ab", "a%253Ab", "%", "%25", ":", "a", "%3A%25", "",
        ];
        for one in texts {
            assert_eq!(unescaped(&escaped(one)).as_deref(), Some(one));
            for other in texts {
                assert_eq!(escaped(one) == escaped(other), one == other);
            }
        }
        assert_ne!(partition(&["a:b", "c"]), partition(&["a", "b:c"]));
    }

    #[test]
    fn an_escape_that_is_never_written_cannot_be_read() {
        for text in ["%", "%3a", "%41", "a:b", "%2", "100%"] {
            assert_eq!(unescaped(text), None, "{text}");
        }
    }

    #[test]
    fn a_blank_part_is_refused() {
        let blank = ScopeError::Blank { part: "goal" };
        assert_eq!(checked("goal", ""), Err(blank.clone()));
        assert_eq!(checked("goal", " \n"), Err(blank));
        assert_eq!(checked("goal", " g "), Ok(" g ".into()));
    }
}
