//! The names of host tools, which senders cannot choose freely.
//!
//! A tool that the spec names has that name. Any other tool has a name that is neither one of those names nor the name
//! of one of the machine's own tools. A step may have any such name, even a blank one, but no proof relies on a name that
//! no host tool can have.

use plan_machine_kernel::tools::MAX_NAME_BYTES;

use super::candidates::Candidates;
use super::truth::Truth;
use crate::model::machine::{EventKind, Machine};
use crate::model::value::Value;
use crate::model::{EventId, FieldId};

/// The position of `event.tool` among the inputs.
pub(super) const NAME: FieldId = FieldId(0);

/// A name to try for other tools, unless the spec already uses it.
const EXAMPLE: &str = "some_tool";

/// Returns whether a host tool has the given name; `None` if that is not decided.
pub(super) fn is_called(machine: &Machine, tool: EventId, name: &str) -> Option<Truth> {
    let declared = machine.event(tool);
    if matches!(declared.kind, EventKind::External) {
        return Some((declared.name == name).into());
    }
    is_taken(machine, name).then_some(Truth::No)
}

/// Returns whether a host can have a tool with this name.
fn is_possible(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= MAX_NAME_BYTES
}

/// Returns whether a tool that the spec declares has this name.
fn is_taken(machine: &Machine, name: &str) -> bool {
    let declared = machine.event_named(name).map(|id| &machine.event(id).kind);
    matches!(declared, Some(EventKind::Tool { .. } | EventKind::External))
}

/// Returns the payloads to try for a host tool.
pub(super) fn payloads(
    machine: &Machine,
    tool: EventId,
    candidates: &Candidates,
    relevant: &[bool],
) -> Vec<Vec<Value>> {
    let declared = machine.event(tool);
    let mut all = candidates.payloads(machine, &declared.input, relevant);
    if matches!(declared.kind, EventKind::External) {
        for payload in &mut all {
            payload[NAME.index()] = Value::text(declared.name.as_str());
        }
        all.dedup();
        return all;
    }
    all.retain(|payload| match &payload[NAME.index()] {
        Value::Text(name) => is_possible(name) && !is_taken(machine, name),
        _ => false,
    });
    // There are more numbered names than events, so at least one name is free.
    let numbered = (2..machine.events.len() + 2).map(|number| format!("{EXAMPLE}_{number}"));
    let example = std::iter::once(EXAMPLE.to_owned())
        .chain(numbered)
        .find(|name| !is_taken(machine, name));
    if let (Some(name), Some(plain)) = (example, all.first()) {
        let mut plain = plain.clone();
        plain[NAME.index()] = Value::text(name);
        all.insert(0, plain);
    }
    all
}
