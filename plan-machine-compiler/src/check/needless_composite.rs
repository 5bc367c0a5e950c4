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

fn adds_something(state: &State) -> bool {
    !state.on.is_empty()
        || !state.has.is_empty()
        || !state.enter.is_empty()
        || !state.exit.is_empty()
        || state.prompt.is_some()
}
