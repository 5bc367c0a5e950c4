//! PM0303: alternatives cover all cases.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::HandlerId;
use crate::model::machine::Machine;

use super::graph::alternatives;
use super::unreachable_alternative::conditions;
use super::words;
use crate::model::logic::Truths;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    for handler in (0..machine.handlers.len()).map(HandlerId::at) {
        // A timer does nothing if no `when` holds, and nobody waits for an answer.
        if machine.timer(machine.handler(handler).event).is_some() {
            continue;
        }
        let list = alternatives(machine, handler);
        let conditions = conditions(machine, list);
        let Some(Some(condition)) = conditions.last() else {
            continue;
        };
        let truths = Truths::of(machine, &conditions);
        if truths.is_some_and(|truths| truths.leave_nothing_out()) {
            continue;
        }
        let event = words::handled(machine, handler);
        let message = format!("nothing defines what happens to {event} if no `when` holds");
        let found = Diagnostic::new(Code::PM0303, condition.span, message);
        sink.push(match list {
            [_] => found
                .label("if this is false, the event is denied with a generic message")
                .help("use `require` with `else`, whose message the caller sees, or add an alternative without `when`"),
            _ => found
                .label("the last alternative also has a condition")
                .help("add a last alternative without `when`; to deny the remaining cases, give it a \
                    `require` with `else`"),
        });
    }
}
