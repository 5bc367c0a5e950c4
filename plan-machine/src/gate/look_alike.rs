//! Names of tools where a host does not list them. The gate compares names letter by letter, and so must the host when it
//! looks a tool up. A host that is not that strict would take `Shell` for `shell`, so a name that looks like one that a
//! spec names, and is not that name, is denied.

use super::state::Gate;
use crate::core::description::{Event, EventKind};

impl Gate {
    /// Whether a name is none that a tool has: it looks like that of another tool, or has letters that names of tools
    /// never have.
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

/// Whether a spec gives a tool this name: one of its own, or one of the host.
pub(super) fn is_tool(event: &Event) -> bool {
    matches!(event.kind, EventKind::Tool { .. } | EventKind::External)
}

/// A name without what a careless look-up passes over: upper case, and signs between letters.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}
