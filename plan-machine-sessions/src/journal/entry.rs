//! One entry of a journal: an event that was taken, or what a person did to a session from outside its machines.

use plan_machine::Id;
use plan_machine::gate::Step;
use plan_machine::machine::CallKind;

use super::format::Format;

/// The name of a restart, where entries are named by what was sent.
pub(crate) const RESTART: &str = "restart";

/// One event that was taken, under its number.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The format that it is written in.
    pub format: Format,
    /// The number of the entry in its session, from 1.
    pub seq: u64,
    /// The identity of the call, where it had one.
    pub call_id: Option<String>,
    /// What kind of entry it is.
    pub kind: EntryKind,
    /// What was sent, by whom and when, and the result.
    pub step: Step,
    /// The plans that are written as what has changed in them, and since which entry.
    pub bases: Vec<(Id, u64)>,
}

/// What kind of entry it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A machine took an event.
    Taken,
    /// A person ended a plan that its machine cannot use. No machine took part: the step says which plan
    /// it was, as it was stored.
    Abandoned {
        /// Why.
        why: String,
    },
    /// A person ended all plans of a session that could not be read. No machine took part: from here on the session
    /// holds nothing, whatever the entries before say.
    Restarted {
        /// Why.
        why: String,
    },
}

impl Entry {
    /// The entry since which a plan is written as what has changed in it.
    pub(super) fn base_of(&self, plan: &Id) -> Option<u64> {
        let mut bases = self.bases.iter();
        bases.find_map(|(id, seq)| (id == plan).then_some(*seq))
    }

    /// The name of what was sent.
    #[must_use]
    pub fn event(&self) -> &str {
        let (CallKind::Event(name) | CallKind::HostTool(name)) = &self.step.call.what;
        name
    }
}
