//! PM0304: no two command texts with the same number of literal words match the same line.

use std::collections::BTreeMap;

use plan_machine_kernel::command::{Pattern, PatternShape, overlap};

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Event, EventKind, Machine};

/// A command with its text, prepared for comparison.
type Rival<'m> = (&'m Event, &'m Pattern, PatternShape<'m>);

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    // Only texts with the same number of literals can conflict. They are not grouped by their first words, because only
    // the kernel decides which words match each other.
    let mut rivals: BTreeMap<usize, Vec<Rival<'_>>> = BTreeMap::new();
    for (event, pattern) in machine.events.iter().filter_map(command) {
        let shape = PatternShape::of(pattern);
        let earlier = rivals.entry(pattern.literals()).or_default();
        // The first overlap is enough: each overlapping text is reported once.
        let rival = earlier.iter().find(|(_, _, other)| other.overlaps(&shape));
        if let Some((rival, other, _)) = rival {
            let line = overlap(other, pattern).unwrap_or_default();
            let message = format!(
                "the line `{line}` would match both `{}` and `{}`",
                rival.name, event.name
            );
            sink.push(
                Diagnostic::new(Code::PM0304, event.span, message)
                    .label(format!("`{}`", pattern.text()))
                    .also(rival.span, format!("`{}`", other.text()))
                    .help("add a literal word to one of the two commands: if several commands match a line, the one \
                        with the most literal words wins"),
            );
        }
        earlier.push((event, pattern, shape));
    }
}

fn command(event: &Event) -> Option<(&Event, &Pattern)> {
    match &event.kind {
        EventKind::Command(command) => Some((event, &command.pattern)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::source::SourceMap;

    #[test]
    fn a_final_sigma_does_not_hide_that_two_texts_match_the_same_line() {
        let text = "machine: M\ncommands: { go: /ΟΔΟΣ, walk: /οδοσ, run: /οδος }\nstates:\n  none: { on: { go: OPEN } }\n  \
             OPEN: { on: { walk: { to: OVER, next: none }, run: { to: OVER, next: none } } }\n  OVER: { final: true }\n";
        let mut sources = SourceMap::default();
        let file = sources.add("m.yaml", text.to_owned());
        let found = crate::compile(&sources, file).diagnostics.into_iter();
        let found = found.filter(|found| found.code.as_str() == "PM0304");
        let messages: Vec<String> = found.map(|found| found.message).collect();
        assert_eq!(
            messages,
            ["the line `/οδοσ` would match both `go` and `walk`"]
        );
    }
}
