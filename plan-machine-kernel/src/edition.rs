//! Editions: each names one text that a person may have reviewed, and none is used twice in a session.

/// The editions that the plans of one machine have had in a session. Plans end and are forgotten, editions
/// are not: a token that was shown for one plan never fits another.
///
/// ```
/// use plan_machine_kernel::edition::Editions;
///
/// let mut editions = Editions::default();
/// assert_eq!(editions.first(false), 0); // the first plan
/// editions.keep(0);
/// assert_eq!(editions.after(0), 1); // it is written
/// editions.keep(1);
/// assert_eq!(editions.first(false), 2); // another plan begins
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Editions {
    /// The one after the last that was used, or [`RESTARTING`]: a plan's slot is small.
    next: u64,
}

/// Represents editions that begin again with each plan. No plan lives long enough to get there.
const RESTARTING: u64 = u64::MAX;

impl Editions {
    /// Editions up to this one were used; `None` where there was no plan yet.
    #[must_use]
    pub fn up_to(last: Option<u64>) -> Self {
        Self {
            next: last.map_or(0, following),
        }
    }

    /// Editions that begin again with each plan, as earlier versions counted them: what these have
    /// written is replayed by their rule.
    #[must_use]
    pub fn restarting() -> Self {
        Self { next: RESTARTING }
    }

    /// Whether a step of an earlier version is replayed: bounds that were added since do not apply to it.
    #[must_use]
    #[inline]
    pub fn are_of_earlier_version(self) -> bool {
        self.next == RESTARTING
    }

    /// The last one that was used.
    #[must_use]
    #[inline]
    pub fn last(self) -> Option<u64> {
        self.counted().checked_sub(1)
    }

    /// The edition of a plan that begins. That of the first plan says whether what is reviewed was written.
    #[must_use]
    #[inline]
    pub fn first(self, written: bool) -> u64 {
        match self.counted() {
            0 => u64::from(written),
            next => next,
        }
    }

    /// The edition of a plan after what is reviewed of it was written.
    #[must_use]
    #[inline]
    pub fn after(self, edition: u64) -> u64 {
        self.counted().max(following(edition))
    }

    /// The edition of a plan that takes the place of one in this edition.
    #[must_use]
    #[inline]
    pub fn succeeding(self, edition: u64, written: bool) -> u64 {
        if self.next == RESTARTING {
            edition.saturating_add(u64::from(written))
        } else {
            self.after(edition)
        }
    }

    /// Remembers an edition that was used.
    #[inline]
    pub fn keep(&mut self, edition: u64) {
        self.next = self.next.max(following(edition));
    }

    /// Remembers the editions that others have used.
    #[inline]
    pub fn keep_all(&mut self, others: Self) {
        self.next = self.next.max(others.counted());
    }

    /// The one after the last, where editions are counted on.
    fn counted(self) -> u64 {
        if self.next == RESTARTING {
            0
        } else {
            self.next
        }
    }
}

/// The edition after this one.
fn following(edition: u64) -> u64 {
    edition.saturating_add(1).min(RESTARTING - 1)
}
