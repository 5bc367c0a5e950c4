//! Reads stored sessions: an entry is trusted only if it follows what was written before it.

mod bound;
mod entries;
mod verify;

pub(crate) use bound::{LastSnapshot, held};
pub(crate) use entries::{alone, altered, entries, unreadable};
pub use verify::{ReplayDifference, ReplayVerdict, Verifier};
