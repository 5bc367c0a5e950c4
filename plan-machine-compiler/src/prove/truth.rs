//! Three-valued truth: the third value represents conditions that the abstraction leaves undecided.

/// Whether a condition holds, as far as the abstraction determines it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// The condition holds in every run that the abstraction represents.
    Yes,
    /// The condition holds in none of these runs.
    No,
    /// It is not known in which of these runs the condition holds.
    Unknown,
}

impl From<bool> for Truth {
    fn from(truth: bool) -> Self {
        if truth { Truth::Yes } else { Truth::No }
    }
}

impl Truth {
    pub(super) fn not(self) -> Self {
        match self {
            Truth::Yes => Truth::No,
            Truth::No => Truth::Yes,
            Truth::Unknown => Truth::Unknown,
        }
    }

    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Truth::No, _) | (_, Truth::No) => Truth::No,
            (Truth::Yes, Truth::Yes) => Truth::Yes,
            _ => Truth::Unknown,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }

    /// Returns the minimum and the maximum number of times that something is counted if it is counted only where the
    /// condition holds.
    pub(super) fn times(self) -> (i64, i64) {
        match self {
            Truth::Yes => (1, 1),
            Truth::No => (0, 0),
            Truth::Unknown => (0, 1),
        }
    }
}
