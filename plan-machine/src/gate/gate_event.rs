//! Events at a gate, to be stored or reported.

use std::borrow::Cow;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::time::Instant;

use crate::core::id::Id;
use crate::dynamic::machine::{Acceptance, Call, Denial};

/// An event that a machine accepted, with everything needed to replay it.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The machine.
    pub machine: Cow<'static, str>,
    /// The version of its records.
    pub version: u64,
    /// The digest of its meaning.
    pub fingerprint: Cow<'static, str>,
    /// The time at which it was sent.
    pub at: Instant,
    /// The sender.
    pub actor: Option<String>,
    /// The call.
    pub call: Call,
    /// The host's context data.
    pub context: Object,
    /// The id of the plan that it started.
    pub new_id: Option<Id>,
    /// The result.
    pub taken: Acceptance,
}

/// Something that happened at a gate.
#[derive(Clone, Debug, PartialEq)]
pub enum GateEvent {
    /// A machine accepted an event.
    Taken(Box<Step>),
    /// A machine answered an event that changes nothing.
    Read {
        /// The machine.
        machine: String,
        /// The event.
        event: String,
    },
    /// A host tool may run.
    Run {
        /// The tool.
        tool: String,
    },
    /// An event was denied.
    Denied {
        /// The event.
        event: String,
        /// The reason.
        denial: Denial,
    },
}
