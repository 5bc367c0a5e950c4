//! The decisions that a person can make in a state, and who sends an event.

use plan_machine::description::{Description, Event, EventKind, Handling};

/// A decision that a person can make about a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    /// What the decision is: `approve`, `reject`, or the name of the event.
    pub(crate) name: &'static str,
    /// The event.
    pub(crate) event: &'static Event,
    /// The text of the command, as written in the spec.
    pub(crate) text: &'static str,
    /// Whether the command itself checks the token.
    pub(crate) reviewed: bool,
}

/// Returns the decisions that a person can make in a state; empty if a plan in this state does not wait for a person. A
/// plan waits if the state handles a command about content that the person has reviewed.
#[must_use]
pub(crate) fn actions(tables: &'static Description, state: u16) -> Vec<Action> {
    let events = (0_u16..).zip(tables.events);
    let commands = events.filter_map(|(at, event)| {
        let EventKind::Command { text, reviewed, .. } = event.kind else {
            return None;
        };
        let name = named(event.name);
        let is_decision = reviewed || name == "reject";
        (is_decision && tables.handling(state, at) == Handling::Takes).then_some(Action {
            name,
            event,
            text,
            reviewed,
        })
    });
    let found: Vec<Action> = commands.collect();
    if found.iter().any(|action| action.reviewed) {
        found
    } else {
        Vec::new()
    }
}

/// Returns `approve` or `reject` if the name of the command contains that word, otherwise the name itself.
fn named(event: &'static str) -> &'static str {
    let words = ["approve", "reject"];
    let mut words = words.into_iter();
    words
        .find(|word| event.split('_').any(|part| part == *word))
        .unwrap_or(event)
}

/// Returns who sends an event: `person`, `model`, `host` or `timer`.
#[must_use]
pub(crate) fn sender(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Command { .. } => "person",
        EventKind::Tool { .. } | EventKind::External | EventKind::OtherTools => "model",
        EventKind::Signal => "host",
        EventKind::Timer { .. } => "timer",
    }
}

/// Returns what an accepted event has decided about a plan: `approved` or `rejected`; `None` if it decided nothing.
#[must_use]
pub(crate) fn decided(tables: &'static Description, event: &str) -> Option<&'static str> {
    let event = tables.event(tables.event_named(event)?);
    let EventKind::Command { reviewed, .. } = event.kind else {
        return None;
    };
    match named(event.name) {
        "reject" => Some("rejected"),
        "approve" => Some("approved"),
        _ if reviewed => Some("approved"),
        _ => None,
    }
}
