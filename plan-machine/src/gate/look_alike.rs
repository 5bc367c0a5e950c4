//! Checks the names of tools if the host does not list its tools. The gate compares names exactly, and so must the host
//! when it looks up a tool. A less strict host might treat `Shell` as `shell`, so a name that resembles a name in a
//! spec without being equal to it is denied.

use plan_machine_kernel::session::looks_like_another;

use super::state::Gate;
use crate::core::description::{Event, EventKind};

impl Gate {
    /// Returns whether a name cannot be the name of a tool: it resembles the name of another tool, or contains
    /// characters that tool names never contain.
    pub(super) fn looks_like_another(&self, name: &str) -> bool {
        let machines = self.machines.iter();
        let events = machines.flat_map(|machine| machine.description().events);
        let tools = events.filter(|event| is_tool(event));
        looks_like_another(name, tools.map(|event| event.name))
    }
}

/// Returns whether an event in a spec is a tool: one of the machine's own tools, or a host tool.
pub(super) fn is_tool(event: &Event) -> bool {
    matches!(event.kind, EventKind::Tool { .. } | EventKind::External)
}
