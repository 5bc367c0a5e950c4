//! The identity of a session.

use std::error::Error;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The identity of a session: a conversation in a channel. Cloning an identity does not copy its strings.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionIdentity {
    channel: Arc<str>,
    conversation: Arc<str>,
}

/// The error for a string that is not a valid session identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidIdentity(String);

impl fmt::Display for InvalidIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for InvalidIdentity {}

impl SessionIdentity {
    /// Returns the identity of a session that need not exist yet. The name of its conversation must consist of 8 to 64
    /// ASCII letters, digits, `_` or `-`.
    ///
    /// # Errors
    ///
    /// If the channel or the conversation is invalid.
    pub fn new(channel: &str, conversation: &str) -> Result<Self, InvalidIdentity> {
        let identity = Self::existing(channel, conversation)?;
        if identity.may_be_new() {
            Ok(identity)
        } else {
            Err(identity.not_new())
        }
    }

    /// Returns the identity of an existing session. The session may be older than the rules that [`new`](Self::new)
    /// enforces, but no new session can be started with an identity that breaks those rules.
    ///
    /// # Errors
    ///
    /// If the channel or the conversation is invalid.
    pub fn existing(channel: &str, conversation: &str) -> Result<Self, InvalidIdentity> {
        let control = |text: &str| text.chars().any(char::is_control);
        if channel.is_empty() || channel.contains(':') || control(channel) {
            return Err(InvalidIdentity(format!(
                "`{}` is not a valid channel name: a name cannot be empty or contain a colon or a control character",
                channel.escape_debug()
            )));
        }
        if conversation.is_empty() || control(conversation) {
            return Err(InvalidIdentity(format!(
                "`{}` is not a valid conversation name: a name cannot be empty or contain a control character",
                conversation.escape_debug()
            )));
        }
        Ok(Self {
            channel: channel.into(),
            conversation: conversation.into(),
        })
    }

    /// Returns the name of the channel.
    #[must_use]
    pub fn channel(&self) -> &str {
        &self.channel
    }

    /// Returns the name of the conversation in the channel.
    #[must_use]
    pub fn conversation(&self) -> &str {
        &self.conversation
    }

    /// Returns whether a new session may have this identity: the name of its conversation must match
    /// `^[a-zA-Z0-9_-]{8,64}$`.
    #[must_use]
    pub fn may_be_new(&self) -> bool {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        (8..=64).contains(&self.conversation.len()) && self.conversation.bytes().all(fits)
    }

    pub(super) fn not_new(&self) -> InvalidIdentity {
        InvalidIdentity(format!(
            "`{}` cannot be the name of a new conversation: use 8 to 64 ASCII letters, digits, `_` or `-`",
            self.conversation.escape_debug()
        ))
    }
}

/// Formats the identity as `channel:conversation`.
impl fmt::Display for SessionIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}:{}", self.channel, self.conversation))
    }
}

impl fmt::Debug for SessionIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Parses `channel:conversation` by the rules for existing sessions, as [`SessionIdentity::existing`] does.
impl FromStr for SessionIdentity {
    type Err = InvalidIdentity;

    fn from_str(text: &str) -> Result<Self, InvalidIdentity> {
        match text.split_once(':') {
            Some((channel, conversation)) => Self::existing(channel, conversation),
            None => Err(InvalidIdentity(format!(
                "`{}` is not a session identity: expected a channel and a conversation with a colon between them, \
                 such as `terminal:my-first-chat`",
                text.escape_debug()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_conversations_have_eight_to_sixty_four_plain_characters() {
        for fine in ["abcdefgh", "A-Z_0-9x", &"x".repeat(64)] {
            assert!(SessionIdentity::new("web", fine).is_ok(), "{fine}");
        }
        for wrong in [
            "",
            "short-7",
            "with space",
            "dots.are.no",
            "umläutchen",
            &"x".repeat(65),
        ] {
            assert!(SessionIdentity::new("web", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn older_conversations_stay_readable() {
        let old = SessionIdentity::existing("telegram", "4711:a")
            .expect("a valid identity of an old session");
        assert!(!old.may_be_new());
        assert_eq!("telegram:4711:a".parse(), Ok(old));
    }

    #[test]
    fn what_could_be_taken_for_another_session_is_refused() {
        for (channel, conversation) in [
            ("", "x"),
            ("a:b", "x"),
            ("a", ""),
            ("a", "x\0y"),
            ("a\n", "x"),
        ] {
            assert!(SessionIdentity::existing(channel, conversation).is_err());
        }
        assert!("nothing".parse::<SessionIdentity>().is_err());
    }
}
