//! Timers in session documents: small sessions with known verdicts.

use std::collections::BTreeMap;

use plan_machine_compiler::SessionCompilation;
use plan_machine_compiler::Verdict::{self, Broken, Proved};
use plan_machine_compiler::session::compile_session;
use plan_machine_compiler::source::SourceMap;

use super::made::Made;

/// A machine whose plans expire.
const EXPIRING: &str = "
machine: M0
commands: { c0: /m0 c0 }
states:
  none: { on: { c0: S0 } }
  S0: { after: { 1h: { to: END, next: none } } }
  END: { final: true }
";

/// A machine without timers.
const PATIENT: &str = "
machine: M1
commands: { c0: /m1 c0, c1: /m1 c1 }
states:
  none: { on: { c0: S0 } }
  S0: { on: { c1: { to: END, next: none } } }
  END: { final: true }
";

fn compiled(rest: &str) -> SessionCompilation {
    let machines = [("m0", EXPIRING), ("m1", PATIENT)];
    let machines = machines.map(|(name, spec)| (name.to_owned(), spec.to_owned()));
    let mut made = Made(BTreeMap::from(machines));
    let text = format!("session: Timed\nmachines: {{ m0: m0, m1: m1 }}\n{rest}");
    let mut sources = SourceMap::default();
    let file = sources.add("timed.yaml", text);
    compile_session(&mut sources, file, &mut made)
}

/// Returns the verdict on an invariant, and the counterexample.
fn verdict(invariant: &str) -> (Verdict, Vec<String>) {
    let found = compiled(&format!("invariants: {{ claim: '{invariant}' }}\n"));
    let [claim] = &found.report.invariants[..] else {
        panic!("{:?}", found.diagnostics);
    };
    let trace = found.diagnostics.iter().flat_map(|found| &found.trace);
    (claim.verdict, trace.map(ToString::to_string).collect())
}

#[test]
fn an_event_may_be_restricted_by_another_machine_alone() {
    let (found, trace) = verdict("m0.c0 only in m1.S0");
    assert_eq!((found, trace.len()), (Broken, 1));
    let (found, _) = verdict("m0.c0 only in (m1.S0 or m1.none)");
    assert_eq!(found, Proved);
}

#[test]
fn timers_are_restricted_by_other_machines_and_waited_for() {
    let (found, trace) = verdict("m0.timer only in m1.none");
    assert_eq!(found, Broken);
    assert_eq!(
        trace.last().map(String::as_str),
        Some(r#"{"wait":"1h","state":"m0.none"}"#)
    );
    assert_eq!(trace.len(), 3);
    let (found, _) = verdict("m0.timer only in m0.S0");
    assert_eq!(found, Proved);
}

#[test]
fn timers_may_make_a_condition_true() {
    let (found, _) = verdict("(m0.none and m1.S0) only by m0.timer or m1.c0");
    assert_eq!(found, Proved);
    let (found, trace) = verdict("(m0.none and m1.S0) only by m1.c0");
    assert_eq!(found, Broken);
    assert!(trace.last().is_some_and(|last| last.contains("wait")));
}

#[test]
fn a_timer_without_its_machine_is_reported() {
    let found = compiled("invariants: { claim: 'timer only in m0.S0' }\n");
    let messages = found.diagnostics.iter().map(|found| found.message.as_str());
    let messages: Vec<&str> = messages.collect();
    assert_eq!(messages, ["`timer` does not say which machine it is about"]);
}

#[test]
fn a_step_at_a_later_time_fires_the_timers_of_all_machines() {
    let found = compiled(
        "scenarios:
  it is over:
    - { do: /m0 c0, then: { m0: S0 } }
    - { do: /m1 c0, at: '2026-01-01T00:59:59Z', then: { m0: S0, m1: S0 } }
    - { do: /m1 c1, at: '2026-01-01T02:00:00Z', then: { m0: none, m1: none } }
",
    );
    assert!(found.report.scenarios[0].passed, "{:?}", found.diagnostics);
}
