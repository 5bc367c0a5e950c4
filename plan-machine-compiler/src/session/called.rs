//! Calls to host tools, with their classes, and the entries that decide what the machines of a
//! session do with a call.

use plan_machine_kernel::session::Dispositions;

use crate::model::machine::{EventKind, Machine};
use crate::model::{EventId, StateId};

/// The name for all host tools that no machine names.
pub(super) const OTHER_TOOLS: &str = "other_tools";

/// A host tool, and the class of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CalledTool {
    pub(super) tool: String,
    /// The class; `None` in a session without a calls document.
    pub(super) class: Option<String>,
}

impl CalledTool {
    /// Returns the entries of a machine that apply to the call: the entries for its tool and for its class, or else the
    /// entry for other tools.
    pub(super) fn entries(&self, machine: &Machine) -> (EventId, Option<EventId>) {
        let named = |name: &str| {
            let found = machine.event_named(name);
            found.filter(|event| matches!(machine.event(*event).kind, EventKind::External))
        };
        let tool = named(&self.tool);
        let class = self.class.as_deref().and_then(named);
        match (tool, class) {
            (Some(tool), class) => (tool, class),
            (None, Some(class)) => (class, None),
            (None, None) => (machine.other_tools(), None),
        }
    }

    /// Returns what a machine may do with the call: the stricter of its entries wins.
    pub(super) fn dispositions(&self, machine: &Machine, leaf: StateId) -> Dispositions {
        let (one, other) = self.entries(machine);
        machine.joint_dispositions(leaf, one, other)
    }

    /// Returns the class if its entry decides what happens to the call in a leaf.
    pub(super) fn deciding_class(&self, machine: &Machine, leaf: StateId) -> Option<&str> {
        let (first, second) = self.entries(machine);
        let decides = machine.deciding_entry(leaf, first, second);
        let class = self.class.as_deref();
        class.filter(|class| machine.event_named(class) == Some(decides))
    }
}
