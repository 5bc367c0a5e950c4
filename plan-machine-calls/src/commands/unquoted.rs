//! The value of a word without its quotes.

use std::borrow::Cow;

/// The value of a word, which is copied only if it differs from the text.
pub(super) struct Unquoted<'c> {
    text: &'c str,
    start: usize,
    copy: Option<String>,
    empty: bool,
}

impl<'c> Unquoted<'c> {
    /// Returns the value, still empty, of a word that begins at `start`.
    pub(super) fn new(text: &'c str, start: usize) -> Self {
        Self {
            text,
            start,
            copy: None,
            empty: true,
        }
    }

    /// Starts a copy, because a quote begins here.
    pub(super) fn quoted(&mut self, at: usize) {
        if self.copy.is_none() {
            self.copy = Some(self.text[self.start..at].to_owned());
        }
    }

    /// Adds a piece of the text to the value.
    pub(super) fn keep(&mut self, from: usize, length: usize) {
        self.empty &= length == 0;
        if let Some(copy) = &mut self.copy {
            copy.push_str(&self.text[from..from + length]);
        }
    }

    /// Returns whether the value is empty so far; quotes alone add nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.empty
    }

    /// Returns the value of the word, which ends at `end`.
    pub(super) fn finish(self, end: usize) -> Cow<'c, str> {
        match self.copy {
            Some(copy) => Cow::Owned(copy),
            None => Cow::Borrowed(&self.text[self.start..end]),
        }
    }
}
