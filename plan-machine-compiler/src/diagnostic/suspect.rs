//! Suspected problems, which are reported only if no later pass clears them.

use super::Diagnostic;

/// A suspected problem that cannot be confirmed by examining a single step, because it depends on which configurations
/// are reachable.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// The diagnostic that is reported if the suspicion is not cleared.
    pub diagnostic: Diagnostic,
    /// The suspected problem.
    pub kind: SuspectKind,
}

/// The kinds of suspected problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspectKind {
    /// The expression at the diagnostic's position reads an optional that may be unset.
    Read,
    /// After a transition to a state, a field in the `has` of the state may be unset. The
    /// transition, the state and the field are identified by their indices in the model.
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
    /// Returns the position of the expression if the suspected problem is the read of an optional.
    #[must_use]
    pub fn place(&self) -> Option<(u32, u32, u32)> {
        match self.kind {
            SuspectKind::Read => Some(self.diagnostic.primary.span.order()),
            SuspectKind::Has { .. } => None,
        }
    }
}
