//! The owner of decisions on calls: one gate, or the sessions of one host.

use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies the owner of a decision on a call; only the owner may confirm the call. Owners are unique within a
/// process.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(u64);

impl Owner {
    /// Returns a new, unique owner.
    #[must_use]
    pub fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
