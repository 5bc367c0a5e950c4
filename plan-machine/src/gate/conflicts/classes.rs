//! Conflicts between the classes of a calls document, the tools of a session and the entries of its machines.

use plan_machine_kernel::calls::{Document, GUARD};

use super::super::parts::HostToolInfo;
use crate::core::description::{Description, EventKind};
use crate::core::host_tool;

/// Reports tools of a machine that have the name of a class. Also reports a tool and its class if
/// neither of their entries is stricter for every call.
pub(super) fn of_machine(machine: &Description, calls: &Document, problems: &mut Vec<String>) {
    let named = |is_wanted: fn(&EventKind) -> bool| {
        let events = (0_u16..).zip(machine.events);
        events.filter(move |(_, event)| is_wanted(&event.kind))
    };
    for (_, event) in named(host_tool::is_own) {
        if calls.has_class(event.name) {
            problems.push(format!(
                "{} defines a tool `{1}`, but `{1}` is a class of the calls document {2}",
                machine.name, event.name, calls.name
            ));
        }
    }
    let is_external = |kind: &EventKind| matches!(kind, EventKind::External);
    for (tool_at, tool) in named(is_external).filter(|(_, event)| !calls.has_class(event.name)) {
        for id in calls.classes_of(tool.name) {
            let mut classes = named(is_external);
            let class = classes.find(|(_, event)| event.name == calls.class(id));
            if let Some((class_at, class)) = class {
                problems.extend(undecided(
                    machine,
                    (tool_at, tool.name),
                    (class_at, class.name),
                ));
            }
        }
    }
}

/// Describes the first state in which neither of two entries is stricter for every call.
fn undecided(machine: &Description, tool: (u16, &str), class: (u16, &str)) -> Option<String> {
    let states = (0_u16..).zip(machine.states);
    let mut states = states.filter(|(_, state)| state.can_hold);
    let (_, state) = states.find(|(at, _)| {
        let of_tool = machine.handling(*at, tool.0);
        !of_tool.is_comparable(machine.handling(*at, class.0))
    })?;
    Some(format!(
        "{}: in {}, the entries for the tool `{}` and for its class `{}` both have transitions, and which of them is stricter depends on the call; keep only one of them, or make one of them `run` or `deny`",
        machine.name, state.name, tool.1, class.1
    ))
}

/// Reports host tools with the name of a class.
pub(super) fn of_host(host_tools: &[HostToolInfo], calls: &Document, problems: &mut Vec<String>) {
    for tool in host_tools {
        let class = if tool.name == GUARD {
            "a built-in class".to_owned()
        } else if calls.has_class(&tool.name) {
            format!("a class of the calls document {}", calls.name)
        } else {
            continue;
        };
        problems.push(format!(
            "the host has a tool `{0}`, but `{0}` is {class}",
            tool.name
        ));
    }
}
