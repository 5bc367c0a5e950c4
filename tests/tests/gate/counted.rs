//! Calls that are counted and still run, and the rule for which of several machines decides on such
//! a call.

use plan_machine::gate::{AllowedCall, Decision, EventContext, Gate};
use plan_machine::{DenialKind, Json};

use super::{advertised, call, conflict, denied, interpreted, with_host};

/// Returns a machine with this name and this entry for other tools. `/NAME` moves its plan to OPEN.
fn machine(name: &str, other_tools: &str) -> String {
    let command = name.to_lowercase();
    format!(
        "
machine: {name}
types: {{ Call: {{ fields: {{ tool: string, args: json }} }} }}
data: {{ calls: {{ type: int, default: 0 }}, kept: {{ type: [Call], max: 5 }}, shut: {{ type: bool, default: false }} }}
commands: {{ begin: /{command}, shut_it: /{command} shut, leave: /{command} leave, end: /{command} end }}
tools: {{ reset_{command}: {{ doc: Start to count again. }} }}
effects: {{ counted: {{}} }}
states:
  none: {{ on: {{ begin: OPEN }} }}
  OPEN:
    other_tools: {other_tools}
    on:
      shut_it: {{ set: {{ shut: true }} }}
      reset_{command}: {{ set: {{ calls: 0 }}, append: {{ kept: {{ tool: \"reset\", args: calls }} }} }}
      leave: AWAY
      end: {{ to: CLOSED, next: none }}
  AWAY: {{ on: {{ begin: OPEN }} }}
  CLOSED: {{ final: true }}
"
    )
}

const DENY: &str = "deny";
const RECORD: &str = "{ append: { kept: { tool: event.tool, args: event.args } }, reply: kept }";
const COUNT: &str =
    "[{ when: calls < 20, set: { calls: calls + 1 }, emit: { counted: {} }, run: true }, deny]";
const RUN: &str = "run";
const RUN_UNTIL_SHUT: &str =
    "[{ when: shut, append: { kept: { tool: event.tool, args: event.args } } }, run]";

/// Returns a gate with these machines, each with a plan in OPEN.
fn gate(machines: &[(&str, &str)]) -> Gate {
    let assembly = Gate::builder();
    let assembly = machines.iter().fold(assembly, |assembly, (name, ways)| {
        assembly.with(interpreted(&machine(name, ways)))
    });
    let mut gate = with_host(assembly).open().expect("a session");
    for (name, _) in machines {
        let begin = format!("/{}", name.to_lowercase());
        gate.command(&begin, &EventContext::default())
            .expect("a command");
    }
    gate
}

fn calls(gate: &Gate, machine: &str) -> Json {
    let at = gate.position(machine).expect("a machine of the session");
    let plans = gate.machines()[at].plans();
    plans[0].data.get("calls").cloned().unwrap_or_default()
}

fn kept(gate: &Gate, machine: &str) -> usize {
    let at = gate.position(machine).expect("a machine of the session");
    let plans = gate.machines()[at].plans();
    let kept = plans[0].data.get("kept").and_then(Json::as_list);
    kept.map_or(0, <[Json]>::len)
}

fn decide(gate: &mut Gate, tool: &str) -> Decision {
    let mut decisions = gate.decide(&[call(tool)], &EventContext::default());
    decisions.remove(0)
}

fn allowed(decision: Decision) -> AllowedCall {
    match decision {
        Decision::Run(allowed) => allowed,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_twenty_first_call_is_denied() {
    let mut gate = gate(&[("Budget", COUNT)]);
    for number in 1..=20 {
        let allowed = allowed(decide(&mut gate, "shell"));
        let [counted] = allowed.counted() else {
            panic!("{allowed:?}")
        };
        assert_eq!(
            (counted.machine, counted.acceptance.effects.len()),
            ("Budget", 1)
        );
        assert_eq!(calls(&gate, "Budget"), Json::Int(number));
        gate.confirm(allowed).expect("the call may run");
    }
    assert!(advertised(&gate).contains("shell"), "the state may run it");
    let decision = decide(&mut gate, "shell");
    let Decision::Denied(denial) = &decision else {
        panic!("{decision:?}")
    };
    assert_eq!(
        denial.to_string(),
        "not_allowed: `shell` is denied unless calls < 20"
    );
    assert_eq!(calls(&gate, "Budget"), Json::Int(20));
}

#[test]
fn a_denial_beats_a_record_which_beats_a_count_which_beats_running() {
    let ways = [
        ("Denies", DENY),
        ("Records", RECORD),
        ("Counts", COUNT),
        ("Runs", RUN),
    ];
    for (at, stricter) in ways.iter().enumerate() {
        for other in &ways[at + 1..] {
            for pair in [[*stricter, *other], [*other, *stricter]] {
                let mut gate = gate(&pair);
                let decision = decide(&mut gate, "shell");
                let told = format!("{pair:?}: {decision:?}");
                match (stricter.0, &decision) {
                    ("Denies", Decision::Denied(_)) => {}
                    ("Records", Decision::Recorded { machine, .. }) => {
                        assert_eq!(machine, "Records", "{told}");
                        assert_eq!(kept(&gate, "Records"), 1, "{told}");
                    }
                    ("Counts", Decision::Run(allowed)) => {
                        assert_eq!(allowed.counted()[0].machine, "Counts", "{told}");
                    }
                    _ => panic!("{told}"),
                }
                if other.0 == "Counts" {
                    assert_eq!(calls(&gate, "Counts"), Json::Int(0), "not counted: {told}");
                }
            }
        }
    }
}

#[test]
fn every_machine_that_counts_a_call_counts_it_or_none_does() {
    let two = COUNT.replace("20", "2");
    let mut gate = gate(&[("Wide", COUNT), ("Narrow", &two), ("Runs", RUN)]);
    for number in 1..=2 {
        let allowed = allowed(decide(&mut gate, "shell"));
        let machines: Vec<&str> = allowed.counted().iter().map(|one| one.machine).collect();
        assert_eq!(machines, ["Wide", "Narrow"]);
        assert_eq!(calls(&gate, "Wide"), Json::Int(number));
        assert_eq!(calls(&gate, "Narrow"), Json::Int(number));
    }
    assert_eq!(
        denied(&decide(&mut gate, "shell")),
        Some(DenialKind::NotAllowed)
    );
    assert_eq!(calls(&gate, "Wide"), Json::Int(2), "not counted alone");
}

#[test]
fn two_machines_may_count_the_same_calls_but_only_one_may_record_them() {
    let twice = |ways: &str| {
        Gate::builder()
            .with(interpreted(&machine("One", ways)))
            .with(interpreted(&machine("Two", ways)))
    };
    twice(COUNT).open().expect("a session");
    let found = conflict(twice(RUN_UNTIL_SHUT));
    assert!(found.to_string().contains("both record"), "{found}");
}

#[test]
fn calls_that_were_counted_side_by_side_are_confirmed_one_by_one() {
    let two = COUNT.replace("20", "2");
    let mut gate = gate(&[("Budget", &two)]);
    let around = EventContext::default();
    let decisions = gate.decide(&[call("shell"), call("read_file"), call("shell")], &around);
    let mut decisions = decisions.into_iter();
    let (first, second) = (decisions.next(), decisions.next());
    assert_eq!(
        decisions.next().as_ref().and_then(denied),
        Some(DenialKind::NotAllowed)
    );
    // The budget is spent, but both calls were counted in time.
    for decision in [first, second].into_iter().flatten() {
        gate.confirm(allowed(decision)).expect("the call may run");
        assert_eq!(
            calls(&gate, "Budget"),
            Json::Int(2),
            "confirming counts nothing"
        );
    }
}

#[test]
fn a_counted_call_is_not_confirmed_in_another_state() {
    let mut gate = gate(&[("Budget", COUNT)]);
    let around = EventContext::default();
    let early = allowed(decide(&mut gate, "shell"));
    gate.command("/budget leave", &around).expect("a command");
    let denial = gate.confirm(early).expect_err("the plan has moved");
    assert!(denial.to_string().contains("may no longer run"), "{denial}");
    let late = allowed(decide(&mut gate, "shell"));
    gate.command("/budget", &around).expect("a command");
    gate.confirm(late).expect_err("the plan has moved");
}

#[test]
fn a_call_that_another_machine_would_record_now_is_not_confirmed() {
    let mut gate = gate(&[("Budget", COUNT), ("Watch", RUN_UNTIL_SHUT)]);
    let around = EventContext::default();
    let calls: Vec<AllowedCall> = gate
        .decide(&[call("shell"), call("shell")], &around)
        .into_iter()
        .map(allowed)
        .collect();
    let [first, second] = <[AllowedCall; 2]>::try_from(calls).expect("two calls");
    assert_eq!(
        first.counted().len(),
        1,
        "Watch lets it run without counting"
    );
    gate.confirm(first).expect("the call may run");
    // The state stays the same, but the data of Watch no longer lets the call run.
    gate.command("/watch shut", &around).expect("a command");
    gate.confirm(second).expect_err("Watch would record it");
    assert!(matches!(
        decide(&mut gate, "shell"),
        Decision::Recorded { .. }
    ));
    assert_eq!(self::calls(&gate, "Budget"), Json::Int(2));
}

#[test]
fn a_batch_cannot_refill_its_own_budget() {
    let one = COUNT.replace("20", "1");
    let mut gate = gate(&[("Budget", &one)]);
    let around = EventContext::default();
    allowed(decide(&mut gate, "shell"));
    let decisions = gate.decide(&[call("reset_budget"), call("shell")], &around);
    assert!(matches!(decisions[0], Decision::Applied { .. }));
    let Decision::Denied(denial) = &decisions[1] else {
        panic!("{decisions:?}")
    };
    assert_eq!(
        denial.to_string(),
        "not_allowed: `shell` cannot run in OPEN, where this batch of calls began; call it again in the next batch"
    );
    assert_eq!(calls(&gate, "Budget"), Json::Int(0));
    allowed(decide(&mut gate, "shell"));
}
