//! The pattern of a level's keys: a pattern creates keys and parses stored keys.

use super::key::{escaped, unescaped};
use super::{Partition, ScopeError, ScopeKey};

/// The part of a key between two colons.
#[derive(Clone, Copy, Debug)]
pub enum Segment {
    /// A fixed word.
    Word(&'static str),
    /// A placeholder for a part of the session's identity or for an id, with the name of that part or id.
    Part(&'static str),
}

/// The pattern of a level's keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyPattern {
    level: &'static str,
    segments: &'static [Segment],
    shared: bool,
}

impl KeyPattern {
    /// Returns the pattern of a level whose memory is separate for each session.
    #[must_use]
    pub const fn new(level: &'static str, segments: &'static [Segment]) -> Self {
        Self {
            level,
            segments,
            shared: false,
        }
    }

    /// Returns the pattern of a level whose memory all sessions share.
    #[must_use]
    pub const fn shared(level: &'static str, segments: &'static [Segment]) -> Self {
        Self {
            level,
            segments,
            shared: true,
        }
    }

    /// Returns the key for a session, with the placeholders of the pattern replaced by these values, in order.
    #[must_use]
    pub fn key(&self, session: &Partition, values: &[&str]) -> ScopeKey {
        let mut values = values.iter();
        let segments = self.segments.iter().map(|segment| match segment {
            Segment::Word(word) => (*word).to_owned(),
            Segment::Part(_) => escaped(values.next().copied().unwrap_or_default()),
        });
        let text = segments.collect::<Vec<String>>().join(":");
        let partition = (!self.shared).then(|| session.clone());
        ScopeKey::new(self.level, text, partition)
    }

    /// Returns the values of the placeholders in a stored key of this level, with their names; returns `None` if the
    /// string is not a key of this level.
    fn parts(&self, text: &str) -> Option<Vec<(&'static str, String)>> {
        let pieces: Vec<&str> = text.split(':').collect();
        if pieces.len() != self.segments.len() {
            return None;
        }
        let mut parts = Vec::new();
        for (segment, piece) in self.segments.iter().zip(pieces) {
            match segment {
                Segment::Word(word) if *word == piece => {}
                Segment::Word(_) => return None,
                Segment::Part(_) if piece.trim().is_empty() => return None,
                Segment::Part(name) => parts.push((*name, unescaped(piece)?)),
            }
        }
        Some(parts)
    }
}

/// Parses a stored string as a key, for the session with this identity.
///
/// # Errors
/// [`ScopeError::Unreadable`] if the string is not a key of any level, or [`ScopeError::OtherSession`] if the key
/// belongs to another session.
pub fn parse<L: Copy>(
    text: &str,
    levels: &[(L, KeyPattern)],
    identity: &[(&str, &str)],
    session: &Partition,
) -> Result<(L, ScopeKey), ScopeError> {
    // The compiler ensures that no key matches the patterns of two levels.
    let mut levels = levels.iter();
    let found = levels.find_map(|(level, pattern)| Some((level, pattern, pattern.parts(text)?)));
    let Some((level, pattern, parts)) = found else {
        return Err(ScopeError::Unreadable {
            text: text.to_owned(),
        });
    };
    let mut own = identity.iter();
    let foreign = |(name, value): &(&str, &str)| {
        let mut parts = parts.iter();
        parts.any(|(part, stored)| part == name && stored != value)
    };
    if own.any(foreign) {
        return Err(ScopeError::OtherSession {
            text: text.to_owned(),
        });
    }
    let values: Vec<&str> = parts.iter().map(|(_, value)| value.as_str()).collect();
    Ok((*level, pattern.key(session, &values)))
}

#[cfg(test)]
mod tests {
    use super::Segment::{Part, Word};
    use super::*;
    use crate::scope::key::partition;

    const LEVELS: [(&str, KeyPattern); 3] = [
        ("global", KeyPattern::shared("global", &[Word("global")])),
        (
            "session",
            KeyPattern::new("session", &[Word("session"), Part("chat")]),
        ),
        (
            "task",
            KeyPattern::new("task", &[Word("task"), Part("task")]),
        ),
    ];

    fn read(text: &str, chat: &str) -> Result<(&'static str, ScopeKey), ScopeError> {
        parse(text, &LEVELS, &[("chat", chat)], &partition(&[chat]))
    }

    #[test]
    fn a_key_is_read_back_as_the_key_it_is() {
        for (chat, task) in [("web:1", "t%1"), ("a", "b:c"), ("%3A", "global")] {
            let [_, (_, session), (_, pattern)] = LEVELS;
            let own = partition(&[chat]);
            let key = pattern.key(&own, &[task]);
            assert_eq!(read(key.as_str(), chat), Ok(("task", key)));
            let key = session.key(&own, &[chat]);
            assert_eq!(read(key.as_str(), chat), Ok(("session", key)));
        }
    }

    #[test]
    fn a_session_of_somebody_else_is_refused() {
        let text = "session:web".to_owned();
        assert_eq!(read(&text, "sms"), Err(ScopeError::OtherSession { text }));
    }

    #[test]
    fn a_text_that_is_not_a_key_is_an_error_and_never_global() {
        for text in [
            "", "Global", "global:", "task:", "task: ", "task:a:b", "task:%", "goal:1",
        ] {
            let error = read(text, "web").map(|(level, _)| level);
            let text = text.to_owned();
            assert_eq!(error, Err(ScopeError::Unreadable { text }));
        }
    }

    #[test]
    fn the_same_text_in_two_sessions_is_two_keys() {
        let (_, one) = read("task:t1", "web").expect("a valid key");
        let (_, other) = read("task:t1", "sms").expect("a valid key");
        assert_eq!(one.as_str(), other.as_str());
        assert_ne!(one, other);
        assert_ne!(one.partition(), other.partition());
    }

    #[test]
    fn what_all_share_belongs_to_no_session() {
        let (_, one) = read("global", "web").expect("a valid key");
        let (_, other) = read("global", "sms").expect("a valid key");
        assert_eq!((one.partition(), &one), (None, &other));
    }
}
