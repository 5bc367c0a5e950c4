//! Conflicts between the machines and tools of one session.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use plan_machine_kernel::command::{Pattern, overlap};
use plan_machine_kernel::suggest::nearest;

use super::parts::HostToolInfo;
use crate::core::description::{Description, EventKind};
use crate::core::host_tool;

/// All conflicts between the machines and tools of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// A message for each conflict.
    pub problems: Vec<String>,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problems.join("; "))
    }
}

impl Error for Conflict {}

/// Reports machines and host tools that conflict; if `open` is set, the host does not list its tools.
pub(super) fn refuse(
    machines: &[&'static Description],
    host_tools: &[HostToolInfo],
    open: bool,
) -> Result<(), Conflict> {
    let mut problems = Vec::new();
    for (at, one) in machines.iter().enumerate() {
        for other in &machines[at + 1..] {
            compare(one, other, &mut problems);
        }
        shadowed(one, host_tools, &mut problems);
        if !open {
            absent(one, machines, host_tools, &mut problems);
        }
    }
    let mut known = BTreeSet::new();
    for tool in host_tools {
        if tool.name.trim().is_empty() {
            problems.push(format!(
                "the host has a tool with a blank name, `{}`, which a model could not call",
                tool.name
            ));
        }
        if !known.insert(&tool.name) {
            problems.push(format!("the host has two tools named `{}`", tool.name));
        }
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Conflict { problems })
    }
}

fn is_own_tool(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Tool { .. })
}

/// Reports host tools with the same name as a machine's own tool.
fn shadowed(machine: &Description, host_tools: &[HostToolInfo], problems: &mut Vec<String>) {
    for event in machine
        .events
        .iter()
        .filter(|event| is_own_tool(&event.kind))
    {
        if host_tools.iter().any(|tool| tool.name == event.name) {
            problems.push(format!(
                "the host has a tool `{}`, but {} also defines a tool of that name",
                event.name, machine.name
            ));
        }
    }
}

/// Reports tools that a spec relies on but the host does not have: calls to such a tool would always be denied as
/// unknown.
fn absent(
    machine: &Description,
    machines: &[&'static Description],
    host_tools: &[HostToolInfo],
    problems: &mut Vec<String>,
) {
    let registered = || host_tools.iter().map(|tool| tool.name.as_str());
    let named = machine
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::External));
    for event in named {
        // A tool that another machine defines is reported as a separate conflict.
        let defines = |other: &&Description| host_tool::own(other, event.name).is_some();
        if registered().any(|tool| tool == event.name) || machines.iter().any(defines) {
            continue;
        }
        let near = nearest(event.name, registered())
            .map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        problems.push(format!(
            "{} lists `{}` under `external_tools`, but the host has no tool of that name: \
             register it with `host_tool`, or remove it from the spec{near}",
            machine.name, event.name
        ));
    }
}

fn compare(one: &Description, other: &Description, problems: &mut Vec<String>) {
    if one.name == other.name {
        problems.push(format!("the machine {} was added twice", one.name));
        return;
    }
    tools(one, other, problems);
    tools_named(one, other, problems);
    tools_named(other, one, problems);
    commands(one, other, problems);
    recorders(one, other, problems);
}

fn tools(one: &Description, other: &Description, problems: &mut Vec<String>) {
    let own = |machine: &Description| -> Vec<&'static str> {
        let own = machine
            .events
            .iter()
            .filter(|event| is_own_tool(&event.kind));
        own.map(|event| event.name).collect()
    };
    let theirs = own(other);
    for name in own(one).into_iter().filter(|name| theirs.contains(name)) {
        problems.push(format!(
            "{} and {} both define the tool `{name}`",
            one.name, other.name
        ));
    }
}

/// Reports tools that one machine treats as host tools but another defines.
fn tools_named(one: &Description, other: &Description, problems: &mut Vec<String>) {
    let named = one
        .events
        .iter()
        .filter(|event| matches!(event.kind, EventKind::External));
    for event in named {
        let defined = other
            .events
            .iter()
            .any(|theirs| theirs.name == event.name && is_own_tool(&theirs.kind));
        if defined {
            problems.push(format!(
                "{} treats `{}` as a host tool, but {} defines it",
                one.name, event.name, other.name
            ));
        }
    }
}

fn commands(one: &Description, other: &Description, problems: &mut Vec<String>) {
    let texts = |machine: &Description| -> Vec<(&'static str, bool)> {
        let commands = machine.events.iter().filter_map(|event| match event.kind {
            EventKind::Command { text, shared, .. } => Some((text, shared)),
            _ => None,
        });
        commands.collect()
    };
    for (text, shared) in texts(one) {
        for (theirs, also_shared) in texts(other) {
            let (Ok(a), Ok(b)) = (Pattern::parse(text), Pattern::parse(theirs)) else {
                continue;
            };
            let line = overlap(&a, &b).filter(|_| a.literals() == b.literals());
            if let (Some(line), false) = (line, shared && also_shared) {
                problems.push(format!(
                    "`{line}` is a command of {} and of {}; set `shared: true` in both specs if the command should go to both machines",
                    one.name, other.name
                ));
            }
        }
    }
}

/// Reports host tools whose calls both machines record. Only one machine of a session may record the calls to a host
/// tool.
fn recorders(one: &Description, other: &Description, problems: &mut Vec<String>) {
    let mut tools: BTreeSet<&str> = BTreeSet::new();
    for machine in [one, other] {
        let named = machine
            .events
            .iter()
            .filter(|event| matches!(event.kind, EventKind::External));
        tools.extend(named.map(|event| event.name));
    }
    let records = |machine: &Description, tool: &str| {
        let event = host_tool::entry(machine, tool);
        let mut states = (0_u16..)
            .zip(machine.states)
            .filter(|(_, state)| state.can_hold);
        states.any(|(state, _)| machine.handling(state, event).may_record())
    };
    // No tool has an empty name, so the empty string represents all tools without an entry.
    for name in tools.into_iter().chain([""]) {
        if records(one, name) && records(other, name) {
            let tool = if name.is_empty() {
                "other tools".to_owned()
            } else {
                format!("`{name}`")
            };
            problems.push(format!(
                "{} and {} would both record calls to {tool}, but only one machine of a session may do so",
                one.name, other.name
            ));
        }
    }
}
