//! The decision about a call.

use std::borrow::Cow;

use super::confirm::AllowedCall;
use crate::dynamic::machine::{Acceptance, Denial};

/// The decision about a call.
#[derive(Debug, PartialEq)]
pub enum Decision {
    /// A machine's own tool, which the machine accepted.
    Applied {
        /// The machine.
        machine: Cow<'static, str>,
        /// The result.
        taken: Acceptance,
    },
    /// A host tool, which a machine recorded instead of letting it run.
    Recorded {
        /// The machine.
        machine: Cow<'static, str>,
        /// The result.
        taken: Acceptance,
    },
    /// A host tool, which the host may run once it has [confirmed](super::Gate::confirm) the call.
    Run(AllowedCall),
    /// Nothing happened, and the host must not run anything.
    Denied(Denial),
    /// A call with the same id was made before. Nothing happened now, and the host must not run anything: this is the
    /// earlier decision. Only sessions remember calls.
    Repeated(EarlierDecision),
}

/// The decision about a call when it was first made. It does not permit anything now.
#[derive(Clone, Debug, PartialEq)]
pub enum EarlierDecision {
    /// A machine accepted its own tool.
    Applied {
        /// The machine.
        machine: Cow<'static, str>,
        /// The result.
        taken: Acceptance,
    },
    /// A machine recorded a host tool instead of letting it run.
    Recorded {
        /// The machine.
        machine: Cow<'static, str>,
        /// The result.
        taken: Acceptance,
    },
    /// The host was allowed to run it. Only the host knows whether it did.
    LetRun {
        /// The tool.
        tool: String,
    },
    /// It was denied.
    Denied(Denial),
}

impl EarlierDecision {
    /// Returns the answer to the model.
    #[must_use]
    pub fn answer(&self) -> String {
        match self {
            Self::Applied { taken, .. } | Self::Recorded { taken, .. } => taken.answer(),
            Self::LetRun { tool } => format!(
                "`{tool}` was already allowed to run under this call id, but its result is not kept here; call it again under a new id"
            ),
            Self::Denied(denial) => denial.to_string(),
        }
    }
}

impl Decision {
    /// Returns the answer to the model; `None` if the host has yet to run the tool.
    #[must_use]
    pub fn answer(&self) -> Option<String> {
        match self {
            Decision::Applied { taken, .. } | Decision::Recorded { taken, .. } => {
                Some(taken.answer())
            }
            Decision::Run(_) => None,
            Decision::Denied(denial) => Some(denial.to_string()),
            Decision::Repeated(earlier) => Some(earlier.answer()),
        }
    }

    /// Removes the effects, because a session delivers them separately.
    #[doc(hidden)]
    pub fn drop_effects(&mut self) {
        if let Decision::Applied { taken, .. } | Decision::Recorded { taken, .. } = self {
            taken.effects.clear();
        }
    }
}
