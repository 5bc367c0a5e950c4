//! The revision that a sender expects is compared after the timers that are due have fired.

use plan_machine::gate::{EventContext, Gate};
use plan_machine::machine::{Call, CallKind, Outcome};
use plan_machine::{DenialKind, Instant};

use super::interpreted;

/// A plan that goes back to its draft after an hour. The event `note` is accepted in both states.
const SPEC: &str = "
machine: Expiring
data: { notes: { type: int, default: 0 } }
commands: { begin: /begin, submit: /submit, note: /note, end: /end }
states:
  none: { on: { begin: DRAFT } }
  open:
    on: { note: { set: { notes: notes + 1 } }, end: { to: ENDED, next: none } }
    states:
      DRAFT: { on: { submit: READY } }
      READY: { after: { 1h: DRAFT } }
  ENDED: { final: true }
";

const HOUR: u32 = 3600;

fn send(gate: &mut Gate, event: &'static str, expected: Option<u64>, second: u32) -> Outcome {
    let mut call = Call::new(CallKind::Event(event.into()));
    call.expect_revision = expected;
    let around = EventContext::at(Instant::at_second(second));
    let outcome = gate.send("Expiring", &call, &around);
    outcome.expect("a known event")
}

fn revision(gate: &Gate) -> u64 {
    gate.machines()[0].plans()[0].revision
}

#[test]
fn a_revision_that_was_seen_before_a_timer_fired_is_stale() {
    let gate = Gate::builder().with(interpreted(SPEC)).open();
    let gate = &mut gate.expect("one machine");
    for event in ["begin", "submit"] {
        assert!(send(gate, event, None, 0).is_accepted());
    }
    let seen = revision(gate);
    let Outcome::Denied(late) = send(gate, "note", Some(seen), 2 * HOUR) else {
        panic!("the timer fires first, and changes the plan");
    };
    assert_eq!(late.kind, DenialKind::Stale);
    assert_eq!(revision(gate), seen + 1);
    assert!(send(gate, "note", Some(seen + 1), 2 * HOUR).is_accepted());
}

#[test]
fn a_revision_that_was_seen_before_the_timer_is_due_is_current() {
    let gate = Gate::builder().with(interpreted(SPEC)).open();
    let gate = &mut gate.expect("one machine");
    for event in ["begin", "submit"] {
        assert!(send(gate, event, None, 0).is_accepted());
    }
    let seen = revision(gate);
    assert!(send(gate, "note", Some(seen), HOUR - 1).is_accepted());
}
