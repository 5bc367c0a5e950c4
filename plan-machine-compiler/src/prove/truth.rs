//! Three-valued truth: the third value represents conditions that the abstraction leaves undecided.

/// Whether something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// It holds in every run that the abstraction represents.
    Yes,
    /// It holds in none of them.
    No,
    /// It may hold in some of them.
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
}
