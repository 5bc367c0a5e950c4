//! The work that the scenarios of a document may do.

/// A number of steps that may still be taken, where a step counts once, and once more for each plan: it may have to
/// find one of the plans, or one of their timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allowance(Option<usize>);

impl Allowance {
    /// Allows any number of steps.
    pub(crate) const UNLIMITED: Self = Self(Some(usize::MAX));

    /// Allows this many steps.
    pub(crate) const fn of(steps: usize) -> Self {
        Self(Some(steps))
    }

    /// Subtracts some steps in a session with this many plans; returns `false` if that is more than is left.
    pub(crate) fn spend(&mut self, steps: usize, plans: usize) -> bool {
        let price = steps.saturating_mul(plans.saturating_add(1));
        self.0 = match self.0 {
            Some(usize::MAX) => Some(usize::MAX),
            left => left.and_then(|left| left.checked_sub(price)),
        };
        !self.is_exceeded()
    }

    /// Returns whether more steps were needed than were allowed.
    pub(crate) const fn is_exceeded(self) -> bool {
        self.0.is_none()
    }
}
