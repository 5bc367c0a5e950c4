//! Concrete runs: a suspicion becomes a broken invariant only if a run of the interpreter breaks the invariant.

mod breaks;
mod calls;
#[cfg(feature = "sessions")]
mod decisions;
mod influence;
mod keys;
mod search;
mod visits;

#[cfg(feature = "sessions")]
pub(super) use calls::Contexts;
pub use search::Effort;
pub(super) use search::{Search, SearchTarget};

use influence::influential;
use visits::{TriedCalls, Visits};

use super::trace::TraceStep;

/// The maximum number of steps to try if the abstraction does not distinguish numbers.
const MAX_STEPS: usize = 200_000;
/// The maximum number of steps to try if the abstraction distinguishes numbers.
const MAX_STEPS_WITH_NUMBERS: usize = 20_000;
/// The maximum number of steps to try in the search that distinguishes records by their exact data.
const MAX_EXACT_STEPS: usize = 100_000;

impl Search<'_> {
    /// Returns, for each wanted property, the shortest run found that breaks it, if there is one.
    pub(super) fn runs(&self, wanted: &[SearchTarget<'_>]) -> Vec<Option<Vec<TraceStep>>> {
        let mut found: Vec<Option<Vec<TraceStep>>> = wanted.iter().map(|_| None).collect();
        for (at, one) in wanted.iter().enumerate() {
            if self.broken_at_once(one.property) {
                found[at] = Some(Vec::new());
            }
        }
        if !wanted.iter().any(SearchTarget::can_be_found) {
            return found;
        }
        let steps = if self.relevant.cells.is_empty() {
            MAX_STEPS
        } else {
            MAX_STEPS_WITH_NUMBERS
        };
        let tried = TriedCalls {
            calls: self.calls(),
            contexts: self.contexts(),
        };
        let fields = influential(self.machine, wanted);
        Visits::new(self, wanted, &fields, &mut found, false)
            .search(&tried, self.effort.limited(steps));
        if !self.tells_all() {
            Visits::new(self, wanted, &fields, &mut found, true)
                .search(&tried, self.effort.limited(MAX_EXACT_STEPS));
        }
        found
    }
}
