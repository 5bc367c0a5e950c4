//! Concrete runs: a suspicion becomes a broken invariant only through a run of the interpreter that
//! breaks it.

mod breaks;
mod calls;
mod search;
mod visits;

pub(super) use search::{Search, Wanted};

use visits::Visits;

use super::trace::TraceStep;

/// The maximum number of steps tried while one run per abstract place is enough.
const MAX_STEPS: usize = 200_000;
/// The maximum number of steps tried if numbers are distinguished, and then if texts are as well.
const MAX_EXACT_STEPS: usize = 20_000;

impl Search<'_> {
    /// Returns a shortest run that breaks each of the wanted properties, if one is found.
    pub(super) fn runs(&self, wanted: &[Wanted<'_>]) -> Vec<Option<Vec<TraceStep>>> {
        let mut found: Vec<Option<Vec<TraceStep>>> = wanted.iter().map(|_| None).collect();
        for (at, one) in wanted.iter().enumerate() {
            if self.broken_at_once(one.property) {
                found[at] = Some(Vec::new());
            }
        }
        let steps = if self.relevant.cells.is_empty() {
            MAX_STEPS
        } else {
            MAX_EXACT_STEPS
        };
        Visits::new(self, wanted, &mut found, false).search(steps);
        if !self.tells_all() {
            Visits::new(self, wanted, &mut found, true).search(MAX_EXACT_STEPS);
        }
        found
    }
}
