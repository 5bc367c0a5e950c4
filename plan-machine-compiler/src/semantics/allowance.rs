//! The work that the scenarios of a document may do.

/// The work that may still be done: a number of steps, and a number of evaluated parts of expressions. A step counts
/// once, and once more for each plan, because it may have to find one of the plans or one of their timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allowance {
    steps: Option<usize>,
    /// One more than the number of parts that may still be evaluated; 0 means that more evaluations were needed.
    evaluations: usize,
}

impl Allowance {
    /// Allows any number of steps and evaluations.
    pub(crate) const UNLIMITED: Self = Self::of(usize::MAX, usize::MAX);

    /// Allows this many steps, which together evaluate at most this many parts of expressions.
    pub(crate) const fn of(steps: usize, evaluations: usize) -> Self {
        Self {
            steps: Some(steps),
            evaluations: evaluations.saturating_add(1),
        }
    }

    /// Subtracts the cost of some steps in a session with this many plans; returns `false` if no more work may be done.
    pub(crate) fn spend(&mut self, steps: usize, plans: usize) -> bool {
        let price = steps.saturating_mul(plans.saturating_add(1));
        self.steps = match self.steps {
            Some(usize::MAX) => Some(usize::MAX),
            left => left.and_then(|left| left.checked_sub(price)),
        };
        !self.is_exceeded()
    }

    /// Returns one more than the number of evaluations that are left; 0 means that more were needed than were allowed.
    pub(crate) const fn evaluations(self) -> usize {
        self.evaluations
    }

    /// Sets the remaining evaluations, unless evaluations are unlimited.
    pub(crate) fn set_evaluations(&mut self, left: usize) {
        if self.evaluations != usize::MAX {
            self.evaluations = left;
        }
    }

    /// Returns whether more parts of expressions were evaluated than were allowed.
    pub(crate) const fn has_no_evaluations(self) -> bool {
        self.evaluations == 0
    }

    /// Returns whether more work was needed than was allowed.
    pub(crate) const fn is_exceeded(self) -> bool {
        self.steps.is_none() || self.has_no_evaluations()
    }
}
