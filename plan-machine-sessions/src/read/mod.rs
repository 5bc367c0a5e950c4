//! Reads stored sessions. An entry is trusted only if its digest matches its text and the digest of the entry before
//! it.

mod bound;
mod entries;
mod turns;
mod verify;

pub(crate) use bound::{LastSnapshot, held, in_history};
pub(crate) use entries::{alone, altered, entries, unreadable};
pub use verify::{ReplayDifference, ReplayVerdict, Verifier};
