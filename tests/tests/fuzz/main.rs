//! Every reader of bytes from outside, tried with documents that were changed at random: nothing panics,
//! errors have their place, output has a bound, and what was written reads back as the same.
//!
//! `scripts/fuzz` runs this for longer.

mod commands;
mod journal;
mod specs;
mod values;

/// A text as a reader gets it: what is no UTF-8 is replaced before.
fn text(input: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(input)
}
