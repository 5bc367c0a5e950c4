//! Fuzzes every reader of external bytes with randomly mutated documents: nothing panics, errors have a location,
//! output is bounded, and what was written reads back the same.
//!
//! `scripts/fuzz` runs this for longer.

mod commands;
mod journal;
mod specs;
mod values;

/// Returns a text as a reader gets it, with invalid UTF-8 replaced.
fn text(input: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(input)
}
