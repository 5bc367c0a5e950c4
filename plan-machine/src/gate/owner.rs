//! Who decides about calls: one gate, or the sessions of one host.

use std::sync::atomic::{AtomicU64, Ordering};

/// Identifies who has decided about a call; only they may confirm it. No two are the same in a
/// process.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(u64);

impl Owner {
    /// Returns a unique one.
    #[must_use]
    pub fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}
