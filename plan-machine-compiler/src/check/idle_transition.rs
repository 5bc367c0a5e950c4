//! PM0306: a transition does something.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{EventKind, Fate, Machine, Transition};

use super::words;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    for id in machine.transition_ids() {
        if does_something(machine.transition(id)) {
            continue;
        }
        let event = words::event_of(machine, id);
        let handler = machine.handler(machine.transition(id).handler);
        let kind = &machine.event(handler.event).kind;
        let message = match kind {
            EventKind::Timer(_) => format!("{event} fires here but does nothing"),
            _ => format!("{event} is accepted here but does nothing"),
        };
        let [add, or_else] = help(kind);
        sink.push(
            Diagnostic::new(Code::PM0306, words::place(machine, id), message)
                .label("a transition that does nothing")
                .help(add)
                .help(or_else),
        );
    }
}

/// Returns two help texts: one lists what the transition can have, and the other says what to write if nothing should
/// happen.
fn help(kind: &EventKind) -> [&'static str; 2] {
    let add = "add `to`, `next`, a data change, `emit`, or at least a `reply` for the caller";
    match kind {
        EventKind::Timer(_) => [
            "add `to`, `next`, a data change or `emit`",
            "or remove the transition: a timer does nothing if none of its transitions applies",
        ],
        EventKind::External | EventKind::Other => [
            add,
            "or write `deny`: a host tool without an entry runs by default",
        ],
        EventKind::Command(_) | EventKind::Signal | EventKind::Tool { .. } => [
            add,
            "or remove the entry: a state denies every event that it does not handle",
        ],
    }
}

fn does_something(transition: &Transition) -> bool {
    transition.fate != Fate::Accept
        || transition.to.is_some()
        || transition.next.is_some()
        || transition.reply.is_some()
        || !transition.require.is_empty()
        || !transition.changes.is_empty()
        || !transition.emit.is_empty()
}
