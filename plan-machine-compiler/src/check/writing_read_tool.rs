//! PM0501: a `read` tool has only `when`, `require` and `reply`.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::TransitionId;
use crate::model::machine::{EventKind, Machine};
use crate::source::Span;

use super::words;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    for id in machine.transition_ids() {
        let handler = machine.handler(machine.transition(id).handler);
        let event = machine.event(handler.event);
        if !matches!(event.kind, EventKind::Tool { read: true, .. }) {
            continue;
        }
        for (what, span) in deeds(machine, id) {
            let message = format!("the read tool `{}` {what}", event.name);
            sink.push(
                Diagnostic::new(Code::PM0501, span, message)
                    .label("a read tool must not do this")
                    .also(event.span, "declared with `read: true`")
                    .help("calls to a read tool are not recorded, so use only `when`, `require` and `reply`, \
                        or remove `read: true`"),
            );
        }
    }
}

/// Returns everything that the transition does besides reading.
fn deeds(machine: &Machine, id: TransitionId) -> Vec<(String, Span)> {
    let transition = machine.transition(id);
    let place = words::place(machine, id);
    let mut deeds = Vec::new();
    if let Some(to) = transition.to {
        deeds.push((
            format!("moves the plan to {}", words::state(machine, to)),
            place,
        ));
    }
    if transition.next.is_some() {
        deeds.push(("removes the plan from the slot".to_owned(), place));
    }
    for change in &transition.changes {
        let name = &machine.field(change.field).name;
        deeds.push((format!("writes `{name}`"), change.span));
    }
    for emit in &transition.emit {
        let name = &machine.effect(emit.effect).name;
        deeds.push((format!("emits `{name}`"), emit.span));
    }
    deeds
}
