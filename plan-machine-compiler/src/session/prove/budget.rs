//! The work that may be done for all invariants of a session together, so that the check of a document with many
//! invariants about large machines ends, or is given up, within a few seconds.

use std::cell::Cell;

/// The maximum number of answers that are examined for one invariant.
const MAX_ANSWERS_OF_INVARIANT: usize = 20_000_000;
/// The maximum number of answers that are examined for all invariants.
const MAX_ANSWERS: usize = 5 * MAX_ANSWERS_OF_INVARIANT;
/// The maximum amount of exploration in all machines together, as `View::of` counts it.
const MAX_EXPLORED: usize = 1_000_000;
/// The maximum number of steps that searches for runs try.
const MAX_STEPS: usize = 600_000;
/// The maximum number of steps that one search tries.
const MAX_STEPS_OF_SEARCH: usize = 20_000;

/// The work that is left for the invariants of a session.
pub(super) struct Budget {
    answers: Cell<usize>,
    explored: Cell<usize>,
    steps: Cell<usize>,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self::of(MAX_ANSWERS, MAX_EXPLORED, MAX_STEPS)
    }

    pub(super) fn of(answers: usize, explored: usize, steps: usize) -> Self {
        Self {
            answers: Cell::new(answers),
            explored: Cell::new(explored),
            steps: Cell::new(steps),
        }
    }

    /// Returns the number of answers that may be examined for one invariant.
    pub(super) fn answers(&self) -> usize {
        self.answers.get().min(MAX_ANSWERS_OF_INVARIANT)
    }

    pub(super) fn use_answers(&self, count: usize) {
        reduce(&self.answers, count);
    }

    /// Returns whether another machine may be explored.
    pub(super) fn may_explore(&self) -> bool {
        self.explored.get() > 0
    }

    pub(super) fn use_exploration(&self, examined: usize) {
        reduce(&self.explored, examined);
    }

    /// Returns the number of steps that one search may try.
    pub(super) fn steps(&self) -> usize {
        self.steps.get().min(MAX_STEPS_OF_SEARCH)
    }

    pub(super) fn use_steps(&self, count: usize) {
        reduce(&self.steps, count);
    }
}

fn reduce(left: &Cell<usize>, count: usize) {
    left.set(left.get().saturating_sub(count));
}
