//! The wording that messages use for states, events and types, and the positions that they underline.

use crate::model::machine::{EventKind, Machine};
use crate::model::shown_type;
use crate::model::types::Type;
use crate::model::{EventId, HandlerId, StateId, TransitionId};
use crate::source::Span;

use super::graph::alternatives;

/// The maximum number of names in a list; longer lists end with a count.
const NAMED: usize = 4;

/// Returns the state's name in backticks.
pub(super) fn state(machine: &Machine, id: StateId) -> String {
    format!("`{}`", machine.state(id).name)
}

/// Returns the event's name in backticks.
pub(super) fn event(machine: &Machine, id: EventId) -> String {
    format!("`{}`", machine.event(id).name)
}

/// Formats a list as `A`, `B` and `C`; a long list ends with a count.
pub(super) fn listed(words: &[String]) -> String {
    joined(words, "and")
}

fn joined(words: &[String], conjunction: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] if words.len() <= NAMED => {
            format!("{} {conjunction} {last}", most.join(", "))
        }
        _ => format!(
            "{} {conjunction} {} more",
            words[..NAMED - 1].join(", "),
            words.len() - NAMED + 1
        ),
    }
}

/// Formats the states' names as a list: `A`, `B` and `C`.
pub(super) fn states(machine: &Machine, ids: &[StateId]) -> String {
    let names: Vec<String> = ids.iter().map(|id| state(machine, *id)).collect();
    listed(&names)
}

/// Formats the states' names as alternatives: `A`, `B` or `C`.
pub(super) fn any_state(machine: &Machine, ids: &[StateId]) -> String {
    let names: Vec<String> = ids.iter().map(|id| state(machine, *id)).collect();
    joined(&names, "or")
}

/// Returns the word for the kind of an event.
pub(super) fn kind(machine: &Machine, id: EventId) -> &'static str {
    match machine.event(id).kind {
        EventKind::Command(_) => "command",
        EventKind::Tool { .. } => "tool",
        EventKind::Signal => "signal",
        EventKind::Timer(_) => "timer",
        EventKind::External | EventKind::Other => "host tool",
    }
}

/// Returns the span to underline for a transition: the event's name, or the transition itself if it is one of several
/// alternatives. The name is preferred because a transition may span many lines.
pub(super) fn place(machine: &Machine, id: TransitionId) -> Span {
    let transition = machine.transition(id);
    match alternatives(machine, transition.handler) {
        [_] => machine.handler(transition.handler).span,
        _ => transition.span,
    }
}

/// Returns the event that a transition belongs to, in backticks.
pub(super) fn event_of(machine: &Machine, id: TransitionId) -> String {
    handled(machine, machine.transition(id).handler)
}

/// Returns the event that a handler handles, in backticks.
pub(super) fn handled(machine: &Machine, id: HandlerId) -> String {
    event(machine, machine.handler(id).event)
}

/// Formats the type as a person would write it, in backticks if it is one word.
pub(super) fn type_name(machine: &Machine, ty: &Type) -> String {
    match ty {
        Type::Data => "all of the data".to_owned(),
        Type::Plans => "a list of plans".to_owned(),
        Type::Shape(_) => "a map".to_owned(),
        other => format!("`{}`", shown_type(machine, other)),
    }
}
