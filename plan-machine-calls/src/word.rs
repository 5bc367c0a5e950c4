//! Words of a shell command whose meaning is certain.

use std::borrow::Cow;

/// A word of a simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word<'c> {
    /// The word as written, with its quotes.
    pub(crate) raw: &'c str,
    /// The word without its quotes. Patterns for file names are not expanded.
    pub(crate) value: Cow<'c, str>,
    /// Whether the word has a pattern for file names, such as `*.rs`, outside quotes.
    pub(crate) is_pattern: bool,
    /// Whether the word begins with a pattern for file names, so that it can become any word, even a flag.
    pub(crate) begins_with_pattern: bool,
}

impl Word<'_> {
    /// Returns whether the word is written without quotes and without a pattern.
    pub(crate) fn is_plain(&self) -> bool {
        !self.is_pattern && self.raw == self.value
    }
}
