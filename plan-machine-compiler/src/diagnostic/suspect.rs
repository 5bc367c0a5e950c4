//! Problems that count only if nothing clears them.

use super::Diagnostic;

/// A problem that a single step does not settle: it depends on what can be reached at all.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// What is reported if it is not cleared.
    pub diagnostic: Diagnostic,
    /// What is suspected.
    pub kind: SuspectKind,
}

/// What is suspected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspectKind {
    /// The expression at the diagnostic's place needs an optional that may be unset.
    Read,
    /// A field that a state promises may be unset there after a transition; all by their position
    /// in the model.
    Has {
        /// The transition.
        taken: u32,
        /// The leaf.
        state: u32,
        /// The field.
        field: u32,
    },
}

impl Suspect {
    /// Returns the place of a suspected reading.
    #[must_use]
    pub fn place(&self) -> Option<(u32, u32, u32)> {
        match self.kind {
            SuspectKind::Read => Some(self.diagnostic.primary.span.order()),
            SuspectKind::Has { .. } => None,
        }
    }
}
