//! An entry of a journal: an event that a machine accepted, or an action of a person in which no
//! machine took part.

use plan_machine::gate::{Floor, Step, TurnId};
use plan_machine::machine::{Acceptance, Call, CallKind};
use plan_machine::{Id, Json, Object};
use plan_machine_kernel::time::Instant;

use super::format::Format;

/// The event name of an entry that restarts the session.
pub(crate) const RESTART: &str = "restart";

/// The event name of an entry that begins a turn.
pub(crate) const TURN: &str = "turn";

/// An entry of a journal: an event that a machine accepted, or an action by which a person began a turn, ended a
/// damaged plan or restarted the session.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The format that the entry is written in.
    pub format: Format,
    /// The number of the entry in its session, starting at 1.
    pub seq: u64,
    /// The id of the call that sent the event, if the call had one.
    pub call_id: Option<String>,
    /// The kind of entry.
    pub kind: EntryKind,
    /// The event that was sent, who sent it and when, and the result.
    pub step: Step,
    /// The plans that this entry contains as changes, each with the number of the entry that the changes are based on.
    pub bases: Vec<(Id, u64)>,
}

/// The kind of entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A machine accepted an event.
    Taken,
    /// A person sent a message that began a turn. No machine took part.
    TurnBegan {
        /// The id of the turn.
        turn: TurnId,
        /// The host tools that may run in the turn, if they differ from those of the previous turn.
        floor: Option<Floor>,
    },
    /// A person ended a plan that its machine cannot use. No machine took part: the step contains the plan as it was
    /// stored.
    Abandoned {
        /// The reason.
        why: String,
    },
    /// A person ended all plans of a session that could not be read. No machine took part. After this entry, the
    /// session is empty, regardless of its earlier entries.
    Restarted {
        /// The reason.
        why: String,
    },
}

impl Entry {
    /// Returns the number of the entry that the changes to a plan are based on; `None` if this entry contains the whole
    /// plan.
    pub(super) fn base_of(&self, plan: &Id) -> Option<u64> {
        let mut bases = self.bases.iter();
        bases.find_map(|(id, seq)| (id == plan).then_some(*seq))
    }

    /// Returns the name of the event or tool that was sent.
    #[must_use]
    pub fn event(&self) -> &str {
        let (CallKind::Event(name) | CallKind::HostTool(name)) = &self.step.call.what;
        name
    }
}

/// Returns the step of an entry in which no machine took part.
pub(crate) fn without_machine(at: Instant, actor: Option<String>, event: &'static str) -> Step {
    Step {
        machine: "".into(),
        version: 0,
        fingerprint: "".into(),
        at,
        actor,
        call: Call::new(CallKind::Event(event.into())),
        context: Object::new(),
        new_id: None,
        acceptance: Acceptance {
            plans: Vec::new(),
            each: false,
            ended: None,
            effects: Vec::new(),
            reply: Json::Null,
            runs: None,
        },
        floor: None,
    }
}
