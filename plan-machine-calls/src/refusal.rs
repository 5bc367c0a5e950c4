//! The reason why a command or a path is not in a class.

use std::borrow::Cow;
use std::fmt;

/// A reason for a refusal. The text completes a message that begins with the rule, such as "rule 3 (`reads`): ".
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(Cow<'static, str>);

impl Refusal {
    /// Returns a refusal with this reason.
    pub(crate) fn new(reason: impl Into<Cow<'static, str>>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Shortens a text from a call and puts it between backquotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut short: String = text.chars().take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("`{short}`")
}
