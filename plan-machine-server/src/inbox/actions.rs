//! The decisions that a person can make in a state, and who sends an event.

use plan_machine::description::{Description, Event, EventKind, Handling};

/// A decision that a person can make about a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    /// What the decision is: `approve` or `reject`. If a state has other reviewed commands beside these, each of them
    /// has the name of its event.
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
        let name = word(event).unwrap_or(event.name);
        let is_decision = reviewed || name == "reject";
        (is_decision && tables.handling(state, at) == Handling::Takes).then_some(Action {
            name,
            event,
            text,
            reviewed,
        })
    });
    let mut found: Vec<Action> = commands.collect();
    if !found.iter().any(|action| action.reviewed) {
        return Vec::new();
    }
    // The page and the API offer two decisions. A command that is called `approve` is always preferred to one that only
    // counts as an approval.
    if found.iter().all(|action| action.name != "approve") {
        let mut others = found.iter_mut();
        if let Some(other) = others.find(|action| action.name != "reject") {
            other.name = "approve";
        }
    }
    found
}

/// Returns `approve` or `reject` if the name of an event contains that word.
fn word(event: &Event) -> Option<&'static str> {
    let mut words = ["approve", "reject"].into_iter();
    words.find(|word| event.name.split('_').any(|part| part == *word))
}

/// Returns the decision that an event makes: `approve` or `reject`; `None` if it makes no decision. A reviewed command
/// whose name contains neither word is an approval.
#[must_use]
pub(crate) fn decision_of(event: &Event) -> Option<&'static str> {
    let EventKind::Command { reviewed, .. } = event.kind else {
        return None;
    };
    word(event).or(reviewed.then_some("approve"))
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
    match decision_of(event)? {
        "reject" => Some("rejected"),
        _ => Some("approved"),
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
    fn a_reviewed_command_of_another_name_is_an_approval() {
        let expected = [("approve", "publish"), ("reject", "reject_it")];
        assert_eq!(decisions("DRAFT"), expected);
        assert_eq!(decided(tables(), "publish"), Some("approved"));
        assert_eq!(decided(tables(), "reject_it"), Some("rejected"));
        assert_eq!(decided(tables(), "begin"), None);
    }

    #[test]
    fn a_command_that_is_called_approve_is_preferred_to_others() {
        let expected = [("publish", "publish"), ("approve", "approve")];
        assert_eq!(decisions("WRITTEN"), expected);
    }
}
