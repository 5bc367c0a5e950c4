//! Editions: each edition identifies one text that a person may have reviewed, and the plans of a machine never use an
//! edition twice in a session.

/// The editions that the plans of one machine have used in a session. A plan that has ended is removed, but its
/// editions are never used again, so a token that was shown for one plan never matches another plan.
///
/// ```
/// use plan_machine_kernel::edition::Editions;
///
/// let mut editions = Editions::default();
/// assert_eq!(editions.first(false), 0); // the first plan
/// editions.keep(0);
/// assert_eq!(editions.after(0), 1); // a reviewed field is written
/// editions.keep(1);
/// assert_eq!(editions.first(false), 2); // another plan begins
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Editions {
    /// The edition after the last used edition, or [`RESTARTING`]. The special value saves a separate flag, so that an
    /// `Editions` takes little memory.
    next: u64,
}

/// Marks editions that start over with each plan. No plan has enough steps to reach this number as an edition.
const RESTARTING: u64 = u64::MAX;

impl Editions {
    /// Counts all editions up to and including `last` as used; `last` is `None` if there has been no plan yet.
    #[must_use]
    pub fn up_to(last: Option<u64>) -> Self {
        Self {
            next: last.map_or(0, following),
        }
    }

    /// Returns editions that start over with each plan. Earlier versions counted this way, so their journals are
    /// replayed with these editions.
    #[must_use]
    pub fn restarting() -> Self {
        Self { next: RESTARTING }
    }

    /// Returns whether a step of an earlier version is being replayed: bounds that were added in later versions do not
    /// apply to such a step.
    #[must_use]
    #[inline]
    pub fn are_of_earlier_version(self) -> bool {
        self.next == RESTARTING
    }

    /// Returns the last edition that was used; `None` if no edition was used, or if editions start over with each plan.
    #[must_use]
    #[inline]
    pub fn last(self) -> Option<u64> {
        self.counted().checked_sub(1)
    }

    /// Returns the edition of a new plan. For the first plan, the edition depends on whether a reviewed field was
    /// written.
    #[must_use]
    #[inline]
    pub fn first(self, written: bool) -> u64 {
        match self.counted() {
            0 => u64::from(written),
            next => next,
        }
    }

    /// Returns the edition of a plan after a reviewed field has been written.
    #[must_use]
    #[inline]
    pub fn after(self, edition: u64) -> u64 {
        self.counted().max(following(edition))
    }

    /// Returns the edition of a plan that succeeds a plan with the given edition.
    #[must_use]
    #[inline]
    pub fn succeeding(self, edition: u64, written: bool) -> u64 {
        if self.next == RESTARTING {
            edition.saturating_add(u64::from(written))
        } else {
            self.after(edition)
        }
    }

    /// Marks an edition as used.
    #[inline]
    pub fn keep(&mut self, edition: u64) {
        self.next = self.next.max(following(edition));
    }

    /// Marks as used all editions that `others` has marked as used.
    #[inline]
    pub fn keep_all(&mut self, others: Self) {
        self.next = self.next.max(others.counted());
    }

    /// Returns the edition after the last used edition, or 0 if editions start over with each plan.
    fn counted(self) -> u64 {
        if self.next == RESTARTING {
            0
        } else {
            self.next
        }
    }
}

/// Returns the next edition.
fn following(edition: u64) -> u64 {
    edition.saturating_add(1).min(RESTARTING - 1)
}
