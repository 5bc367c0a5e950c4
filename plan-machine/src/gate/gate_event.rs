//! Events at a gate, for a journal or a log.

use std::borrow::Cow;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::time::Instant;

use super::floor::{Floor, OpenTools};
use super::turn::TurnId;
use crate::core::id::Id;
use crate::dynamic::machine::{Acceptance, Call, Denial};

/// An event that a machine accepted, with everything needed to replay it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The name of the machine.
    pub machine: Cow<'static, str>,
    /// The version of the machine's records.
    pub version: u64,
    /// The digest of the machine's meaning.
    pub fingerprint: Cow<'static, str>,
    /// The time at which the event was sent.
    pub at: Instant,
    /// The sender, as the host names it.
    pub actor: Option<String>,
    /// The call.
    pub call: Call,
    /// The host's context data.
    pub context: Object,
    /// The id of the plan that the event started, if any.
    pub new_id: Option<Id>,
    /// The result of the event.
    pub acceptance: Acceptance,
    /// The host tools that this machine allows in the turn after the event, if the event has changed them.
    pub floor: Option<OpenTools>,
}

/// The outcome of an event or a call at a gate.
#[derive(Clone, Debug, PartialEq)]
pub enum GateEvent {
    /// A machine accepted an event.
    Taken(Box<Step>),
    /// A turn began.
    TurnBegan {
        /// The time at which the person's message was sent.
        at: Instant,
        /// The person, as the host names them.
        actor: Option<String>,
        /// The id of the turn.
        turn: TurnId,
        /// The host tools that may run in the turn, if they differ from those of the previous turn.
        floor: Option<Floor>,
    },
    /// A machine answered an event that only reads.
    Read {
        /// The name of the machine.
        machine: String,
        /// The name of the event.
        event: String,
    },
    /// A host tool may run.
    Run {
        /// The name of the tool.
        tool: String,
    },
    /// An event was denied.
    Denied {
        /// The name of the event.
        event: String,
        /// The reason for the denial.
        denial: Denial,
    },
}
