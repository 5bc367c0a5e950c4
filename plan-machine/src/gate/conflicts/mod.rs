//! Conflicts between the machines and tools of one session.

mod classes;

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use plan_machine_kernel::calls::Document;
use plan_machine_kernel::session::{Declarations, conflicts};
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

/// Reports machines, host tools and classes of calls that conflict; if `open` is set, the host does not list its tools.
pub(super) fn refuse(
    machines: &[&'static Description],
    host_tools: &[HostToolInfo],
    open: bool,
    calls: Option<&Document>,
) -> Result<(), Conflict> {
    let mut problems = Vec::new();
    let all: Vec<Declarations<'_>> = machines.iter().map(|one| declared(one)).collect();
    for (at, one) in machines.iter().enumerate() {
        for other in &all[at + 1..] {
            let found = conflicts(&all[at], other, calls);
            problems.extend(
                found
                    .iter()
                    .map(|found| found.message(one.name, other.name)),
            );
        }
        shadowed(one, host_tools, &mut problems);
        if !open {
            absent(one, machines, host_tools, calls, &mut problems);
        }
        if let Some(calls) = calls {
            classes::of_machine(one, calls, &mut problems);
        }
    }
    if let Some(calls) = calls {
        classes::of_host(host_tools, calls, &mut problems);
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

/// Reports host tools with the same name as a machine's own tool.
fn shadowed(machine: &Description, host_tools: &[HostToolInfo], problems: &mut Vec<String>) {
    for event in machine
        .events
        .iter()
        .filter(|event| host_tool::is_own(&event.kind))
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
    calls: Option<&Document>,
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
        let is_class = calls.is_some_and(|calls| calls.has_class(event.name));
        if is_class || registered().any(|tool| tool == event.name) || machines.iter().any(defines) {
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

/// Returns the declarations of a machine that can be in conflict with those of another machine.
fn declared(machine: &'static Description) -> Declarations<'static> {
    let records = |event: u16| {
        let states = (0_u16..).zip(machine.states);
        let mut states = states.filter(|(_, state)| state.can_hold);
        states.any(|(state, _)| machine.handling(state, event).may_record())
    };
    let mut declared = Declarations {
        name: machine.name,
        records_others: records(machine.other_tools()),
        ..Declarations::default()
    };
    for (at, event) in (0_u16..).zip(machine.events) {
        match event.kind {
            EventKind::Tool { .. } => declared.tools.push(event.name),
            EventKind::Command { text, shared, .. } => declared.commands.push((text, shared)),
            EventKind::External => {
                declared.host_tools.push(event.name);
                if records(at) {
                    declared.recorded.push(event.name);
                }
            }
            EventKind::Signal | EventKind::Timer { .. } | EventKind::OtherTools => {}
        }
    }
    declared
}
