//! Fuzzes every reader of external bytes with randomly mutated documents: nothing panics, errors have a location,
//! output is bounded, and everything that is written reads back the same.
//!
//! `scripts/fuzz` runs these tests for longer.

mod classes;
mod commands;
mod journal;
mod sessions;
mod specs;
mod values;

/// Returns the input as a string, with invalid UTF-8 replaced.
fn text(input: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(input)
}
