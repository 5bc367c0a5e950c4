//! Every reader of bytes from outside, tried with randomly changed documents: nothing panics, errors have their
//! place, output is bounded, and what was written reads back the same.
//!
//! `scripts/fuzz` runs this for longer.

mod commands;
mod journal;
mod specs;
mod values;

/// Returns a text as a reader gets it: invalid UTF-8 is replaced first.
fn text(input: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(input)
}
