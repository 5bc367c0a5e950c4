//! Problems that are ones only if nothing clears them.

use super::Diagnostic;

/// A problem that one step alone does not settle: what can be reached at all decides.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// What is said where it stays.
    pub diagnostic: Diagnostic,
    /// What is suspected.
    pub kind: SuspectKind,
}

/// What is suspected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspectKind {
    /// The expression at the diagnostic's place relies on an optional that may be unset.
    Read,
    /// A field that a state promises may be unset there after a transition; all by their place in
    /// the model.
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
    /// The place of a suspected reading.
    #[must_use]
    pub fn place(&self) -> Option<(u32, u32, u32)> {
        match self.kind {
            SuspectKind::Read => Some(self.diagnostic.primary.span.order()),
            SuspectKind::Has { .. } => None,
        }
    }
}
