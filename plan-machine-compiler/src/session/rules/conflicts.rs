//! PM1102: machines that cannot be in one session, according to the rules of the gate.

use plan_machine_kernel::session::{Declarations, Disposition, MachineConflict, conflicts};

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::EventId;
use crate::model::machine::{EventKind, Machine};
use crate::session::model::{Member, Session};
use crate::source::Span;

pub(super) fn check(session: &Session, sink: &mut Sink) {
    let all: Vec<Declarations<'_>> = session
        .members
        .iter()
        .map(|member| declared(&member.machine))
        .collect();
    for (at, one) in session.members.iter().enumerate() {
        for (other, declared) in session.members.iter().zip(&all).skip(at + 1) {
            for found in conflicts(&all[at], declared, session.classes()) {
                sink.push(report(one, other, &found));
            }
        }
    }
}

/// Returns the declarations of a machine that can conflict with those of another machine.
fn declared(machine: &Machine) -> Declarations<'_> {
    let mut declared = Declarations {
        name: &machine.name,
        records_others: records(machine, machine.other_tools()),
        ..Declarations::default()
    };
    for event in machine.event_ids() {
        let name = machine.event(event).name.as_str();
        match &machine.event(event).kind {
            EventKind::Tool { .. } => declared.tools.push(name),
            EventKind::Command(command) => {
                declared
                    .commands
                    .push((command.pattern.text(), command.shared));
            }
            EventKind::External => {
                declared.host_tools.push(name);
                if records(machine, event) {
                    declared.recorded.push(name);
                }
            }
            EventKind::Signal | EventKind::Timer(_) | EventKind::Other => {}
        }
    }
    declared
}

/// Returns whether a machine records calls to a host tool in some state.
fn records(machine: &Machine, tool: EventId) -> bool {
    let mut leaves = machine.leaves().filter(|leaf| machine.can_hold(*leaf));
    leaves.any(|leaf| machine.dispositions(leaf, tool).may_be(Disposition::Record))
}

fn report(one: &Member, other: &Member, found: &MachineConflict<'_>) -> Diagnostic {
    let named = |member: &Member| format!("`{}`", member.name);
    let message = match found {
        MachineConflict::SameMachine(name) => {
            format!(
                "`{}` and `{}` are both the machine {name}",
                one.name, other.name
            )
        }
        _ => found.message(&named(one), &named(other)),
    };
    let mut told = Diagnostic::new(Code::PM1102, other.span, message);
    for member in [one, other] {
        if let Some(span) = place(member, found) {
            told = told.also(span, format!("declared by `{}` here", member.name));
        }
    }
    match found {
        MachineConflict::SameMachine(_) => told.help("remove one of them: a session can contain each machine only once"),
        MachineConflict::SameTool(_) => told.help("rename one of the tools, or use only one of the machines"),
        MachineConflict::HostTool { .. } => {
            told.help("remove the tool from `external_tools`: if the machine that defines the tool declares it `external`, the gate asks the other machines about it as one of their `other_tools`")
        }
        MachineConflict::SameCommand { .. } => told,
        MachineConflict::BothRecord(_) => {
            told.help("let one of the machines run or deny these calls in every state")
        }
    }
}

/// Returns the location of the declaration in a machine that causes a conflict.
fn place(member: &Member, found: &MachineConflict<'_>) -> Option<Span> {
    let machine = &member.machine;
    let name = match found {
        MachineConflict::SameMachine(_) => return Some(machine.span),
        MachineConflict::SameTool(tool) | MachineConflict::HostTool { tool, .. } => tool,
        MachineConflict::SameCommand { first, second, .. } => {
            let mut events = machine.events.iter();
            let event = events.find(|event| match &event.kind {
                EventKind::Command(command) => [*first, *second].contains(&command.pattern.text()),
                _ => false,
            });
            return event.map(|event| event.span);
        }
        MachineConflict::BothRecord(tool) => {
            let event = tool.and_then(|tool| machine.event_named(tool));
            let event = event.unwrap_or_else(|| machine.other_tools());
            let mut handlers = machine.handlers.iter();
            let records = handlers.find(|handler| {
                let recorded = [event, machine.other_tools()].contains(&handler.event);
                recorded
                    && matches!(
                        handler.kind,
                        crate::model::machine::HandlerKind::Transitions(_)
                    )
            });
            return records.map(|handler| handler.span);
        }
    };
    let event = machine.event_named(name)?;
    Some(machine.event(event).span)
}
