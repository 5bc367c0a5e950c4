//! One entry of a journal: an accepted event, or an action of a person on a session from outside its machines.

use plan_machine::Id;
use plan_machine::gate::Step;
use plan_machine::machine::CallKind;

use super::format::Format;

/// The name of a restart, used where entries are named after events.
pub(crate) const RESTART: &str = "restart";

/// One accepted event and its number.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The format that it is written in.
    pub format: Format,
    /// The number of the entry in its session, starting at 1.
    pub seq: u64,
    /// The id of the call, if it had one.
    pub call_id: Option<String>,
    /// The kind of entry.
    pub kind: EntryKind,
    /// What was sent, by whom and when, and the result.
    pub step: Step,
    /// The plans that are written as changes, and the entries those changes are based on.
    pub bases: Vec<(Id, u64)>,
}

/// The kind of entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A machine accepted an event.
    Taken,
    /// A person ended a plan that its machine cannot use. No machine is involved: the step contains the plan as it was
    /// stored.
    Abandoned {
        /// The reason.
        why: String,
    },
    /// A person ended all plans of a session that could not be read. No machine is involved: from here on the session
    /// is empty, whatever the earlier entries say.
    Restarted {
        /// The reason.
        why: String,
    },
}

impl Entry {
    /// Returns the entry that the changes to a plan are based on.
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
