//! PM0208: a composite has more than one child, or adds something to its only child.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Machine, State};

use super::words;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    for state in &machine.states {
        let [child] = &state.children[..] else {
            continue;
        };
        if adds_something(state) {
            continue;
        }
        let child = words::state(machine, *child);
        let message = format!(
            "the composite `{}` contains only {child} and adds nothing to it",
            state.name
        );
        let found = Diagnostic::new(Code::PM0208, state.span, message);
        sink.push(found.help(format!(
            "replace the composite with {child}, or give `{}` something for its states to share, such as `on` or \
             `prompt`",
            state.name
        )));
    }
}

/// Returns whether a composite has an effect on the states inside it. Timers and `other_tools` are among its handlers.
fn adds_something(state: &State) -> bool {
    !state.on.is_empty()
        || state.requires
        || !state.unavailable.is_empty()
        || !state.has.is_empty()
        || !state.enter.is_empty()
        || !state.exit.is_empty()
        || state.prompt.is_some()
}

#[cfg(test)]
mod tests {
    use crate::source::SourceMap;

    /// Returns the codes for a spec whose composite `drafting` contains only `DRAFT` and has this key.
    fn found(key: &str) -> Vec<&'static str> {
        let text = format!(
            "machine: M\ndata: {{ note: string? }}\n\
             commands: {{ begin: /begin, write: '/write {{text}}', end: /end }}\n\
             states:\n  none: {{ on: {{ begin: drafting }} }}\n  drafting:\n    {key}\n    states:\n      \
             DRAFT: {{ on: {{ write: {{ set: {{ note: event.text }} }}, end: {{ to: OVER, next: none }} }} }}\n  \
             OVER: {{ final: true }}\n"
        );
        let mut sources = SourceMap::default();
        let file = sources.add("m.yaml", text);
        let found = crate::compile(&sources, file).diagnostics.into_iter();
        let codes = found.map(|found| found.code.as_str());
        codes.filter(|code| *code != "PM0702").collect()
    }

    #[test]
    fn a_composite_that_only_has_texts_requirements_or_timers_is_needed() {
        for key in [
            "unavailable: { begin: There is already a draft. }",
            "require: { end: [{ that: note is set, else: write a note first }] }",
            "after: { 1h: { to: OVER, next: none } }",
            "other_tools: deny",
        ] {
            assert_eq!(found(key), Vec::<&str>::new(), "{key}");
        }
    }

    #[test]
    fn a_composite_that_only_has_a_doc_or_an_initial_state_is_needless() {
        for key in ["doc: A draft.", "initial: DRAFT"] {
            assert_eq!(found(key), ["PM0208"], "{key}");
        }
    }
}
