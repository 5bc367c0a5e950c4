//! PM0302: every alternative can be taken.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::expr::Expr;
use crate::model::machine::Machine;
use crate::model::{HandlerId, TransitionId};
use crate::source::Span;

use super::graph::alternatives;
use super::words;
use crate::model::logic::Truths;

pub(super) fn check(machine: &Machine, sink: &mut Sink) {
    for handler in (0..machine.handlers.len()).map(HandlerId::at) {
        let list = alternatives(machine, handler);
        let conditions = conditions(machine, list);
        if conditions.iter().all(Option::is_none) && list.len() < 2 {
            continue;
        }
        if let Some(truths) = Truths::of(machine, &conditions) {
            judge(machine, list, &truths, sink);
        }
    }
}

/// Returns the condition of each alternative in a list.
pub(super) fn conditions<'a>(machine: &'a Machine, list: &[TransitionId]) -> Vec<Option<&'a Expr>> {
    list.iter()
        .map(|id| machine.transition(*id).when.as_ref().map(|when| &when.expr))
        .collect()
}

fn judge(machine: &Machine, list: &[TransitionId], truths: &Truths, sink: &mut Sink) {
    for (at, id) in list.iter().enumerate() {
        let when = machine
            .transition(*id)
            .when
            .as_ref()
            .map(|when| when.expr.span);
        if let Some(span) = when
            && truths.never(at)
        {
            let message = "this condition is never true";
            let help = "fix the condition, or remove the alternative";
            sink.push(
                Diagnostic::new(Code::PM0302, span, message)
                    .label("contradicts itself")
                    .help(help),
            );
        } else if let Some(span) = when
            && truths.always(at)
        {
            sink.push(constant(span, at + 1 == list.len()));
            // Every later alternative is unreachable for the same reason.
            return;
        } else if at > 0 && truths.comes_too_late(at) {
            sink.push(shadowed(machine, list, at, truths));
            if when.is_none() {
                return;
            }
        }
    }
}

fn constant(span: Span, is_last: bool) -> Diagnostic {
    let label = if is_last {
        "this `when` has no effect"
    } else {
        "no alternative after this one is ever taken"
    };
    Diagnostic::new(Code::PM0302, span, "this condition is always true")
        .label(label)
        .help("remove the `when`, or fix the condition")
}

fn shadowed(machine: &Machine, list: &[TransitionId], at: usize, truths: &Truths) -> Diagnostic {
    let place = |at: usize| {
        let transition = machine.transition(list[at]);
        transition
            .when
            .as_ref()
            .map_or(transition.span, |when| when.expr.span)
    };
    let event = words::event_of(machine, list[at]);
    let message = format!("this alternative of {event} is never taken");
    let found = Diagnostic::new(Code::PM0302, place(at), message).label("never reached");
    let Some(wider) = (0..at).find(|earlier| truths.covers(*earlier, at)) else {
        let words = "this and the alternatives before it cover every case";
        return found.also(place(at - 1), words).help(
            "remove this alternative, or narrow the conditions of the alternatives before it",
        );
    };
    if machine.transition(list[wider]).when.is_none() {
        found
            .also(place(wider), "has no `when`, so it is always taken")
            .help("put the alternative without `when` last")
    } else {
        found
            .also(place(wider), "true whenever the later condition is true")
            .help("if this condition is narrower, move the alternative up; otherwise, remove the alternative")
    }
}
