//! Checks the names of tools if the host does not list its tools. The gate compares names exactly, and so must the host
//! when it looks up a tool. A less strict host might treat `Shell` as `shell`, so a name that resembles a name in a
//! spec without being equal to it is denied.

use super::state::Gate;
use crate::core::description::{Event, EventKind};

impl Gate {
    /// Returns whether a name cannot be the name of a tool: it resembles the name of another tool, or contains
    /// characters that tool names never contain.
    pub(super) fn looks_like_another(&self, name: &str) -> bool {
        if name.is_empty() || !name.chars().all(|letter| letter.is_ascii_graphic()) {
            return true;
        }
        let machines = self.machines.iter();
        let mut events = machines.flat_map(|machine| machine.description().events);
        let mut known = events.by_ref().filter(|event| is_tool(event));
        let looks = folded(name);
        let mut like = false;
        let is_known = known.any(|event| {
            like |= folded(event.name) == looks;
            event.name == name
        });
        like && !is_known
    }
}

/// Returns whether an event in a spec is a tool: one of the machine's own tools, or a host tool.
pub(super) fn is_tool(event: &Event) -> bool {
    matches!(event.kind, EventKind::Tool { .. } | EventKind::External)
}

/// Removes the differences that a careless lookup ignores: case, and characters that are neither letters nor digits.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}
