//! The decision on a call.

use std::borrow::Cow;

use super::confirm::AllowedCall;
use crate::dynamic::machine::{Acceptance, Denial};

/// The decision on a call.
#[derive(Debug, PartialEq)]
pub enum Decision {
    /// A machine accepted a call to one of its own tools.
    Applied {
        /// The name of the machine.
        machine: Cow<'static, str>,
        /// The result of the event.
        acceptance: Acceptance,
    },
    /// A machine recorded a call to a host tool. The host must not run the tool.
    Recorded {
        /// The name of the machine.
        machine: Cow<'static, str>,
        /// The result of the event.
        acceptance: Acceptance,
    },
    /// The host may run this host tool once it has [confirmed](super::Gate::confirm) the call. Machines may have
    /// [counted](AllowedCall::counted) the call; the host stores their changes before it runs the tool, as a session
    /// does.
    Run(AllowedCall),
    /// The call was denied. It has changed nothing, and the host must not run anything.
    Denied(Denial),
    /// A call with the same id was sent before, and this is the decision that was made then. The repeated call has
    /// changed nothing, and the host must not run anything. Only sessions store the ids of calls.
    Repeated(EarlierDecision),
}

/// The decision that was made when a call was sent for the first time. It does not permit anything now.
#[derive(Clone, Debug, PartialEq)]
pub enum EarlierDecision {
    /// A machine accepted a call to one of its own tools.
    Applied {
        /// The name of the machine.
        machine: Cow<'static, str>,
        /// The result of the event.
        acceptance: Acceptance,
    },
    /// A machine recorded a call to a host tool. The host must not run the tool.
    Recorded {
        /// The name of the machine.
        machine: Cow<'static, str>,
        /// The result of the event.
        acceptance: Acceptance,
    },
    /// The host was allowed to run the tool. Only the host knows whether it did.
    LetRun {
        /// The name of the tool.
        tool: String,
    },
    /// The call was denied.
    Denied(Denial),
}

impl EarlierDecision {
    /// Returns the answer to the model.
    #[must_use]
    pub fn answer(&self) -> String {
        match self {
            Self::Applied { acceptance, .. } | Self::Recorded { acceptance, .. } => {
                acceptance.answer()
            }
            Self::LetRun { tool } => format!(
                "`{tool}` was already allowed to run under this call id, but its result is not stored; call the tool again under a new id"
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
            Decision::Applied { acceptance, .. } | Decision::Recorded { acceptance, .. } => {
                Some(acceptance.answer())
            }
            Decision::Run(_) => None,
            Decision::Denied(denial) => Some(denial.to_string()),
            Decision::Repeated(earlier) => Some(earlier.answer()),
        }
    }

    /// Removes the effects, because a session delivers them separately.
    #[doc(hidden)]
    pub fn drop_effects(&mut self) {
        match self {
            Decision::Applied { acceptance, .. } | Decision::Recorded { acceptance, .. } => {
                acceptance.effects.clear();
            }
            Decision::Run(allowed) => allowed.drop_effects(),
            Decision::Denied(_) | Decision::Repeated(_) => {}
        }
    }
}
