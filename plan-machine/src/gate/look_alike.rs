//! Names of tools if a host does not list them. The gate compares names character by character, and so must the host
//! when it looks up a tool. A less strict host would take `Shell` for `shell`, so a name that looks like one in a spec,
//! but is different, is denied.

use super::state::Gate;
use crate::core::description::{Event, EventKind};

impl Gate {
    /// Tells whether no tool has a name: it looks like that of another tool, or contains letters that names of tools
    /// never contain.
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

/// Tells whether a spec names a tool like this: one of its own, or a host tool.
pub(super) fn is_tool(event: &Event) -> bool {
    matches!(event.kind, EventKind::Tool { .. } | EventKind::External)
}

/// Returns a name without what a careless lookup ignores: case, and characters between letters.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}
