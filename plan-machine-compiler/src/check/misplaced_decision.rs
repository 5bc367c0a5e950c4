//! PM0506: only a host tool can have `run`, as an entry or in an alternative; another event can have `deny` only to
//! override an inherited handler.
//! (Name resolution checks that no tool of the machine is listed as external.)

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::HandlerId;
use crate::model::machine::{EventKind, Fate, Handler, HandlerKind, Machine, Transition};
use crate::source::Span;

use super::graph::alternatives;
use super::words;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    for handler in &machine.handlers {
        if matches!(
            machine.event(handler.event).kind,
            EventKind::External | EventKind::Other
        ) {
            continue;
        }
        match &handler.kind {
            HandlerKind::Run => sink.push(nothing_to_run(machine, handler, handler.span)),
            HandlerKind::Deny if !removes_something(machine, handler) => {
                sink.push(nothing_to_deny(machine, handler));
            }
            HandlerKind::Deny => {}
            HandlerKind::Transitions(all) => {
                for transition in all.iter().map(|id| machine.transition(*id)) {
                    match transition.fate {
                        Fate::Accept => {}
                        Fate::Deny => sink.push(nothing_to_choose(machine, handler, transition)),
                        Fate::Count | Fate::Run => {
                            sink.push(nothing_to_run(machine, handler, transition.span));
                        }
                    }
                }
            }
        }
    }
}

fn removes_something(machine: &Machine, handler: &Handler) -> bool {
    let parent = machine.state(handler.state).parent;
    let inherited: Option<HandlerId> =
        parent.and_then(|parent| machine.entry(parent, handler.event));
    inherited.is_some_and(|id| !alternatives(machine, id).is_empty())
}

fn nothing_to_choose(machine: &Machine, handler: &Handler, transition: &Transition) -> Diagnostic {
    let event = machine.event(handler.event);
    let kind = words::kind(machine, handler.event);
    let message = format!(
        "the alternatives of the {kind} `{}` cannot end with `deny`: only those of host tools can",
        event.name
    );
    Diagnostic::new(Code::PM0506, transition.span, message)
        .label("`deny` is for calls to host tools")
        .also(event.span, "declared by this machine")
        .help("end the list with an alternative whose `require` has the message for the caller in `else`")
}

fn nothing_to_run(machine: &Machine, handler: &Handler, span: Span) -> Diagnostic {
    let event = machine.event(handler.event);
    let kind = words::kind(machine, handler.event);
    let message = format!(
        "the {kind} `{}` cannot have `run`: only host tools can",
        event.name
    );
    Diagnostic::new(Code::PM0506, span, message)
        .label("`run` passes a call to the host")
        .also(event.span, "declared by this machine")
        .help(format!(
            "handle the event with a transition, or remove this entry to deny `{}` in this state",
            event.name
        ))
}

fn nothing_to_deny(machine: &Machine, handler: &Handler) -> Diagnostic {
    let name = words::event(machine, handler.event);
    let state = words::state(machine, handler.state);
    let message =
        format!("there is nothing to deny: {state} does not inherit a handler for {name}");
    Diagnostic::new(Code::PM0506, handler.span, message)
        .label("denied even without this entry")
        .help("remove the `deny`: a state denies every event that it does not handle")
}
