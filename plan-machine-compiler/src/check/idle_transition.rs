//! PM0306: a transition does something.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Fate, Machine, Transition};

use super::words;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    for id in machine.transition_ids() {
        if does_something(machine.transition(id)) {
            continue;
        }
        let event = words::event_of(machine, id);
        let message = format!("{event} is accepted here but does nothing");
        sink.push(
            Diagnostic::new(Code::PM0306, words::place(machine, id), message)
                .label("a transition that does nothing")
                .help(
                    "add `to`, `next`, a data change, `emit`, or at least a `reply` for the caller",
                )
                .help(
                    if machine.is_host_tool(machine.handler(machine.transition(id).handler).event) {
                        "or write `deny`: a host tool without an entry runs by default"
                    } else {
                        "or remove the entry: a state denies every event that it does not handle"
                    },
                ),
        );
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
