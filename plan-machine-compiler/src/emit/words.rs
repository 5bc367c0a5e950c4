//! The wording that charts and tables share, so that an event looks the same everywhere.
//!
//! The form of a name shows its sender in every font and without color: the user types `/plan on`, the model calls
//! `plan_get()`, the host reports `«finished»`, and a timer fires `after 1h`.

use crate::model::machine::{Command, Emit, EventKind, HandlerKind, Machine, Next, Transition};
use crate::model::{EventId, StateId, TransitionId};

use super::text::{one_line, shortened};

/// The sender of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sender {
    /// The user, who types a command.
    Command,
    /// The model, which calls a tool of the machine.
    Tool,
    /// The host, which sends a signal.
    Signal,
    /// No sender: a timer fires.
    Timer,
    /// The model, which calls a host tool.
    OtherTool,
}

/// Returns the sender of an event.
pub(super) fn sender(machine: &Machine, event: EventId) -> Sender {
    match machine.event(event).kind {
        EventKind::Command(_) => Sender::Command,
        EventKind::Tool { .. } => Sender::Tool,
        EventKind::Signal => Sender::Signal,
        EventKind::Timer(_) => Sender::Timer,
        EventKind::External | EventKind::Other => Sender::OtherTool,
    }
}

/// Formats an event for charts and tables.
pub(super) fn event(machine: &Machine, id: EventId) -> String {
    let event = machine.event(id);
    match &event.kind {
        EventKind::Command(command) => command_text(machine, command),
        EventKind::Tool { .. } | EventKind::External => format!("{}()", event.name),
        EventKind::Signal => format!("«{}»", event.name),
        EventKind::Timer(timer) => format!("after {}", timer.period),
        EventKind::Other => "other tools".to_owned(),
    }
}

/// Returns the text of a command as a person types it. The text includes the arguments only if another command differs
/// from this one in nothing but its arguments.
fn command_text(machine: &Machine, command: &Command) -> String {
    let short = literals(command);
    let same = machine.events.iter().filter(
        |event| matches!(&event.kind, EventKind::Command(other) if literals(other) == short),
    );
    if same.count() > 1 {
        one_line(command.pattern.text())
    } else {
        short
    }
}

fn literals(command: &Command) -> String {
    let words = command.pattern.text().split_whitespace();
    let literal: Vec<&str> = words.filter(|word| !word.starts_with('{')).collect();
    literal.join(" ")
}

/// Returns the condition of an alternative, or `else` for an alternative that has no condition and
/// follows others.
pub(super) fn guard(machine: &Machine, id: TransitionId, most: usize) -> Option<String> {
    let transition = machine.transition(id);
    if let Some(condition) = &transition.when {
        return Some(shortened(&condition.text, most));
    }
    match &machine.handler(transition.handler).kind {
        HandlerKind::Transitions(all) if all.first() != Some(&id) => Some("else".to_owned()),
        _ => None,
    }
}

/// Returns the names of the emitted effects, without duplicates.
pub(super) fn effects<'a>(machine: &'a Machine, emits: &[Emit]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for emit in emits {
        let name = machine.effect(emit.effect).name.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Describes the next content of the slot.
pub(super) fn next_words(next: Next) -> &'static str {
    match next {
        Next::None => "frees the slot",
        Next::Copy(_) => "next: a copy",
        Next::Fresh(_) => "next: empty",
    }
}

/// Returns the state of the record that the slot contains next.
pub(super) fn next_state(next: Next) -> StateId {
    match next {
        Next::None => StateId::NONE,
        Next::Copy(state) | Next::Fresh(state) => state,
    }
}

/// Returns whether a transition leaves the record in its state and leaves the slot unchanged.
pub(super) fn stays(transition: &Transition) -> bool {
    transition.to.is_none() && transition.next.is_none()
}

/// Returns whether an event is a tool that only reads.
pub(super) fn reads(machine: &Machine, event: EventId) -> bool {
    matches!(
        machine.event(event).kind,
        EventKind::Tool { read: true, .. }
    )
}
