//! PM0304: no two command texts of equal literalness match one line.

use std::collections::BTreeMap;

use plan_machine_kernel::command::{Pattern, overlap};

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Event, EventKind, Machine};

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    // Only texts with the same slash word and as many literals can stand in each other's way.
    let mut rivals: BTreeMap<(String, usize), Vec<(&Event, &Pattern)>> = BTreeMap::new();
    for (event, pattern) in machine.events.iter().filter_map(command) {
        let slash_word = pattern.text().split_whitespace().next().unwrap_or_default();
        let key = (slash_word.to_lowercase(), pattern.literals());
        let earlier = rivals.entry(key).or_default();
        for (earlier, other) in earlier.iter() {
            if let Some(line) = overlap(other, pattern) {
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
        earlier.push((event, pattern));
    }
}

fn command(event: &Event) -> Option<(&Event, &Pattern)> {
    match &event.kind {
        EventKind::Command(command) => Some((event, &command.pattern)),
        _ => None,
    }
}
