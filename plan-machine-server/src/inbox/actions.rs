//! The decisions that a person can make in a state, and who sends an event.

use plan_machine::description::{Description, Event, EventKind, Handling};

/// A decision that a person can make about a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    /// The name of the decision: `approve`, `reject`, or the name of the event if it contains neither word.
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
        let name = name_of(event);
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

/// Returns the name of the decision that an event makes: `approve` or `reject` if the name of the event contains that
/// word, otherwise the name itself.
#[must_use]
pub(crate) fn name_of(event: &Event) -> &'static str {
    let mut words = ["approve", "reject"].into_iter();
    words
        .find(|word| event.name.split('_').any(|part| part == *word))
        .unwrap_or(event.name)
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

/// Returns what an accepted event has decided about a plan: `approved` or `rejected`; `None` if it decided nothing. A
/// reviewed command approves the content that it was sent about, unless it is a rejection.
#[must_use]
pub(crate) fn decided(tables: &'static Description, event: &str) -> Option<&'static str> {
    let event = tables.event(tables.event_named(event)?);
    let EventKind::Command { reviewed, .. } = event.kind else {
        return None;
    };
    match name_of(event) {
        "reject" => Some("rejected"),
        "approve" => Some("approved"),
        _ if reviewed => Some("approved"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::SessionDocuments;

    const NOTE: &str = r#"
machine: Note
review: [text]
data: { text: string? }
commands:
  begin: /note on
  publish: { text: "/note publish {token?}", reviewed: true }
  reject_it: /note reject
  approve: { text: "/note approve {token?}", reviewed: true }
tools:
  write: { doc: Keep a text., input: { text: string } }
states:
  none: { on: { begin: DRAFT } }
  DRAFT:
    on:
      write: { to: WRITTEN, set: { text: event.text } }
      publish: { to: ENDED, next: none }
      reject_it: { to: ENDED, next: none }
  WRITTEN: { on: { publish: { to: ENDED, next: none }, approve: { to: ENDED, next: none } } }
  ENDED: { final: true }
"#;

    fn tables() -> &'static Description {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("session.yaml");
        std::fs::write(folder.path().join("machine.yaml"), NOTE).expect("a machine");
        let session = "session: Test\nmachines: { work: machine.yaml }\n";
        std::fs::write(&file, session).expect("a document");
        let documents = SessionDocuments::read(&file).expect("a valid document");
        let mut machines = documents.machines().machines();
        machines.next().expect("a machine")
    }

    /// Returns the decisions in a state, each with its event.
    fn decisions(state: &str) -> Vec<(&'static str, &'static str)> {
        let tables = tables();
        let state = tables.state_named(state).expect("a state");
        let actions = actions(tables, state).into_iter();
        actions
            .map(|action| (action.name, action.event.name))
            .collect()
    }

    #[test]
    fn a_reviewed_command_of_another_name_is_a_decision_of_that_name() {
        let expected = [("publish", "publish"), ("reject", "reject_it")];
        assert_eq!(decisions("DRAFT"), expected);
        assert_eq!(decided(tables(), "publish"), Some("approved"));
        assert_eq!(decided(tables(), "reject_it"), Some("rejected"));
        assert_eq!(decided(tables(), "begin"), None);
    }

    #[test]
    fn a_state_can_have_several_reviewed_commands() {
        let expected = [("publish", "publish"), ("approve", "approve")];
        assert_eq!(decisions("WRITTEN"), expected);
    }
}
