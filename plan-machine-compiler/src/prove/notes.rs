//! Notes that are taken during evaluation: which expressions rely on an optional that may be unset, and how much work
//! was done.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::collections::BTreeSet;

/// The location of an expression in the source.
pub(super) type Place = (u32, u32, u32);

/// The work limit, in parts of expressions and fields of configurations. Once the limit is reached, nothing more is
/// proved, so that a spec of any size finishes in seconds.
pub(super) const MOST_PARTS: u64 = 10_000_000;
/// The number of edges of the state space that count as much as one part of an expression or one field of a
/// configuration.
const EDGES_OF_A_PART: u64 = 30;
/// The work limit, in edges of the state space.
const MOST_WORK: u64 = MOST_PARTS * EDGES_OF_A_PART;

/// The locations of expressions that rely on an optional that may be unset, and the work done so
/// far.
#[derive(Default)]
pub(super) struct Unset {
    places: RefCell<BTreeSet<Place>>,
    work: Cell<u64>,
}

impl Unset {
    pub(super) fn borrow(&self) -> Ref<'_, BTreeSet<Place>> {
        self.places.borrow()
    }

    pub(super) fn borrow_mut(&self) -> RefMut<'_, BTreeSet<Place>> {
        self.places.borrow_mut()
    }

    /// Adds examined fields and parts of expressions to the work done.
    pub(super) fn spend(&self, parts: usize) {
        let parts = u64::try_from(parts).unwrap_or(u64::MAX);
        self.count(parts.saturating_mul(EDGES_OF_A_PART));
    }

    /// Adds examined nodes and edges of the space to the work done.
    pub(super) fn look(&self, edges: usize) {
        self.count(u64::try_from(edges).unwrap_or(u64::MAX));
    }

    fn count(&self, work: u64) {
        self.work.set(self.work.get().saturating_add(work));
    }

    /// Returns whether the work limit is exceeded.
    pub(super) fn is_spent(&self) -> bool {
        self.work.get() > MOST_WORK
    }

    /// Resets the work done to zero, so that the next check can use the full work limit again.
    pub(super) fn renew(&self) {
        self.work.set(0);
    }
}
