//! PM0304: no two command texts of equal literalness match one line.

use plan_machine_kernel::command::{Pattern, overlap};

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Event, EventKind, Machine};

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    let commands: Vec<(&Event, &Pattern)> = machine.events.iter().filter_map(command).collect();
    for (at, (event, pattern)) in commands.iter().enumerate() {
        for (earlier, other) in &commands[..at] {
            if pattern.literals() == other.literals()
                && let Some(line) = overlap(other, pattern)
            {
                let names = (&earlier.name, &event.name);
                let message = format!(
                    "the line `{line}` would be both `{}` and `{}`",
                    names.0, names.1
                );
                sink.push(
                    Diagnostic::new(Code::PM0304, event.span, message)
                        .label(format!("`{}`", pattern.text()))
                        .also(earlier.span, format!("`{}`", other.text()))
                        .help("add a word that tells them apart: of two texts that match, the one with more literal words wins"),
                );
            }
        }
    }
}

fn command(event: &Event) -> Option<(&Event, &Pattern)> {
    match &event.kind {
        EventKind::Command(command) => Some((event, &command.pattern)),
        _ => None,
    }
}
