//! Reading what is stored of a session: nothing is believed that does not follow on what was written before it.

mod bound;
mod entries;
mod verify;

pub(crate) use bound::{LastSnapshot, held};
pub(crate) use entries::{alone, altered, entries, unreadable};
pub use verify::{ReplayDifference, ReplayVerdict, Verifier};
