//! PM0511: a call that runs is answered by its tool.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::Machine;

use super::words;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    for id in machine.transition_ids() {
        let transition = machine.transition(id);
        let Some(reply) = transition.reply.as_ref().filter(|_| transition.fate.runs()) else {
            continue;
        };
        let event = words::event_of(machine, id);
        let message = format!("this reply to {event} is never read: the call runs here");
        sink.push(
            Diagnostic::new(Code::PM0511, reply.span, message)
                .label("a reply to a call that runs")
                .help("remove the `reply`: the caller gets the result of the tool")
                .help("or remove `run: true`, so that the call is recorded and does not run"),
        );
    }
}
