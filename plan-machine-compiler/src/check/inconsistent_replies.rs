//! PM0409: all handlers of an event reply with the same type.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{Fate, Machine};
use crate::model::types::Type;
use crate::model::{EventId, TransitionId};
use crate::source::Span;

use super::words;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    let mut by_event: Vec<Vec<TransitionId>> = vec![Vec::new(); machine.events.len()];
    for id in machine.transition_ids() {
        let transition = machine.transition(id);
        // A call that runs or is denied gets no reply from the machine.
        if transition.fate != Fate::Accept {
            continue;
        }
        let handler = machine.handler(transition.handler);
        by_event[handler.event.index()].push(id);
    }
    for event in machine.event_ids() {
        let replies: Vec<Reply<'_>> = by_event[event.index()]
            .iter()
            .map(|id| reply(machine, *id))
            .collect();
        let Some(first) = replies
            .iter()
            .find(|reply| is_known(reply.ty))
            .or(replies.first())
        else {
            continue;
        };
        for other in replies.iter().filter(|other| !same(first.ty, other.ty)) {
            sink.push(report(machine, event, first, other));
        }
    }
}

/// The reply of a transition.
struct Reply<'a> {
    ty: &'a Type,
    span: Span,
    written: bool,
}

/// Returns the reply of a transition. Without `reply`, the caller gets the name of the state.
fn reply(machine: &Machine, id: TransitionId) -> Reply<'_> {
    match &machine.transition(id).reply {
        Some(reply) => Reply {
            ty: &reply.ty,
            span: reply.span,
            written: true,
        },
        None => Reply {
            ty: &Type::Text,
            span: words::place(machine, id),
            written: false,
        },
    }
}

fn is_known(ty: &Type) -> bool {
    match ty {
        Type::Unknown => false,
        Type::List(inner) | Type::Optional(inner) => is_known(inner),
        Type::Shape(fields) => fields.iter().all(|(_, ty)| is_known(ty)),
        _ => true,
    }
}

/// Returns whether two types are equal, ignoring parts that are unknown, such as the item type of an empty list.
fn same(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Unknown, _) | (_, Type::Unknown) => true,
        (Type::List(one), Type::List(other)) | (Type::Optional(one), Type::Optional(other)) => {
            same(one, other)
        }
        (Type::Shape(one), Type::Shape(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| one.0 == other.0 && same(&one.1, &other.1))
        }
        _ => one == other,
    }
}

fn report(machine: &Machine, event: EventId, first: &Reply<'_>, other: &Reply<'_>) -> Diagnostic {
    let name = words::event(machine, event);
    let message = format!("the replies to {name} do not all have the same type");
    let describe = |reply: &Reply<'_>| {
        let ty = words::type_name(machine, reply.ty);
        if reply.written {
            format!("replies with {ty} here")
        } else {
            format!("without `reply`, the caller gets the state's name, a {ty}")
        }
    };
    let help = if first.written && other.written {
        "make all transitions of the event reply with the same type"
    } else {
        "give every transition of the event a `reply` of the same type"
    };
    Diagnostic::new(Code::PM0409, other.span, message)
        .label(describe(other))
        .also(first.span, describe(first))
        .help(help)
}
