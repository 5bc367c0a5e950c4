//! The sender of a command, and the texts for denials.

use plan_machine::gate::{EventContext, Gate, GateEvent};
use plan_machine::machine::Outcome;

use super::{interpreted, two_people};

const TWO_PEOPLE: &str = include_str!("../../corpus/valid/two_people.yaml");

/// Returns the messages of a denied command; empty if the command is accepted.
fn denied(gate: &mut Gate, line: &str, around: &EventContext) -> Vec<String> {
    let answers = gate.command(line, around).expect("a command");
    match &answers[0].outcome {
        Outcome::Denied(denial) => denial.messages.clone(),
        _ => Vec::new(),
    }
}

fn by(name: &str) -> EventContext {
    EventContext::default().by(name)
}

#[test]
fn the_session_says_who_sent_a_command_whatever_the_context_claims() {
    let compiled = Gate::builder().with(two_people::Machine).open();
    let read = Gate::builder().with(interpreted(TWO_PEOPLE)).open();
    for gate in [compiled, read] {
        let mut gate = gate.expect("a session");
        let none = Vec::<String>::new();
        assert_eq!(denied(&mut gate, "/change v1", &by("ann")), none);
        let forged = by("ann").with("event_actor", "bob");
        let own = ["ann wrote this change and cannot approve it"];
        let token = gate.machines()[0].plans()[0].token.clone();
        let line = format!("/change approve {token}");
        assert_eq!(denied(&mut gate, &line, &forged), own);
        let nobody = EventContext::default().with("event_actor", "bob");
        let unnamed = ["the host did not name the sender of this command"];
        assert_eq!(denied(&mut gate, "/change who", &nobody), unnamed);
    }
}

#[test]
fn a_replay_sees_the_sender_that_was_recorded() {
    let set = || Gate::builder().with(two_people::Machine);
    let mut gate = set().open().expect("a session");
    gate.record();
    for (line, sender) in [("/change v1", "ann"), ("/change again v2", "bob")] {
        gate.command(line, &by(sender)).expect("a command");
    }
    let mut again = set().open().expect("a session");
    let mut repeated = 0;
    for happened in gate.happened() {
        if let GateEvent::Taken(step) = happened {
            let outcome = again.repeat(&step).expect("the same machine");
            let Outcome::Accepted(acceptance) = outcome else {
                panic!("{outcome:?}");
            };
            assert_eq!(*acceptance, step.acceptance);
            repeated += 1;
            assert_eq!(
                step.actor.as_deref(),
                acceptance.plans[0]
                    .data
                    .get("author")
                    .and_then(|author| author.as_text())
            );
        }
    }
    assert_eq!(repeated, 2, "both commands are accepted and repeated");
}

#[test]
fn the_denial_of_a_tool_has_the_text_of_the_machine_that_denies_it() {
    let strict = "
machine: Strict
commands: { on: /strict, off: /lax }
states:
  none: { on: { on: STRICT } }
  STRICT:
    unavailable: { other_tools: Nothing leaves the house while it is locked. }
    other_tools: deny
    on: { off: { to: OVER, next: none } }
  OVER: { final: true }
";
    let exporter = "
machine: Exporter
commands: { start: /export on, stop: /export off }
tools: { send_out: { doc: Send it., external: true } }
effects: { sent: { external: true } }
states:
  none: { on: { start: OPEN } }
  OPEN: { on: { send_out: { emit: { sent: {} } }, stop: { to: DONE, next: none } } }
  DONE: { final: true }
";
    let gate = Gate::builder()
        .with(interpreted(strict))
        .with(interpreted(exporter));
    let mut gate = gate.open().expect("a session");
    let around = EventContext::default();
    gate.command("/export on", &around).expect("a command");
    gate.command("/strict", &around).expect("a command");
    let decided = gate.decide(&[super::call("send_out")], &around);
    let plan_machine::gate::Decision::Denied(denial) = &decided[0] else {
        panic!("{decided:?}");
    };
    assert_eq!(
        denial.messages,
        ["Nothing leaves the house while it is locked."]
    );
    assert_eq!(denial.allowed_in, ["none"]);
}
