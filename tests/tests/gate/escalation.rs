//! The model gains no permissions during a turn: random events on every machine of the corpus, compared with a simple
//! reference implementation.

use std::cell::Cell;

use plan_machine::DenialKind;
use plan_machine::description::EventKind;
use plan_machine::gate::{Decision, EventContext, Gate, ToolCall, TurnId};
use plan_machine_tests::dice::Dice;
use plan_machine_tests::turns::{Act, Open, Reference, act, machine_sets, open, runs};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// The number of random walks.
const WALKS: u32 = 500;

/// The number of calls in turns, by what happened to them.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The calls that ran.
    ran: usize,
    /// The calls that were held back until the next message.
    held_back: usize,
}

/// Checks the decisions on the calls of a response. `before` states what could run when the response began.
fn check(gate: &mut Gate, floor: &Reference, before: &Open, calls: &[ToolCall], seen: &mut Seen) {
    let is_in_turn = gate.turn().is_some();
    let around = EventContext::default();
    let decisions = gate.decide(calls, &around);
    for (call, decision) in calls.iter().zip(decisions) {
        let allowed = floor.allows(&call.name);
        match decision {
            Decision::Run(call) => {
                let tool = call.tool().to_owned();
                assert!(allowed, "{tool} could not run when the turn began");
                seen.ran += usize::from(is_in_turn);
                let _ = gate.confirm(call);
            }
            Decision::Denied(denial) if denial.to_string().contains("next message") => {
                // The reference knows host tools only. Another machine may also hold back an external tool of a machine.
                let machines = gate.machines().iter().map(|machine| machine.description());
                let mut own = machines.filter_map(|machine| {
                    machine
                        .event_named(&call.name)
                        .map(|at| machine.event(at).kind)
                });
                let is_own = own.any(|kind| matches!(kind, EventKind::Tool { external: true, .. }));
                assert!(!allowed || is_own, "{denial}");
                seen.held_back += 1;
            }
            // In a longer response, the calls before this one may have closed the tool for a while.
            Decision::Denied(denial)
                if calls.len() == 1 && denial.kind == DenialKind::NotAllowed =>
            {
                let own = gate.machines().iter().any(|machine| {
                    let own = machine.description().event_named(&call.name);
                    own.is_some() && !before.keys().any(|(_, tool)| *tool == call.name)
                });
                // If alternatives decide what happens to calls, this call may be denied because of the plan's data.
                let chosen = gate.handling_of(&call.name).is_chosen();
                let could = runs(before, &call.name) && allowed;
                assert!(own || chosen || !could, "{denial}");
            }
            _ => {}
        }
    }
}

/// Sends random events to a gate, and counts the calls that ran and those that were held back.
fn walk(seed: u64, found: &mut Seen) {
    let mut dice = Dice::new(seed);
    let machines = dice.pick(machine_sets());
    let mut gate = machines.gate();
    let mut floor = Reference::default();
    let around = EventContext::default();
    for number in 0..40 {
        let before = open(&gate);
        match act(machines, &mut dice) {
            Act::Restart => {}
            Act::Message => {
                let turn = TurnId::new(format!("t{number}"));
                assert_eq!(gate.begin_turn(&turn, &around), Ok(true));
                floor.begin(&before);
            }
            Act::Event { machine, call } => {
                gate.send(machine.name, &call, &around)
                    .expect("an event of the machine");
                floor.sent(machine, &call, &before, &open(&gate));
            }
            Act::Response(calls) => check(&mut gate, &floor, &before, &calls, found),
        }
    }
}

#[test]
fn in_a_turn_a_host_tool_runs_only_if_it_could_run_before_or_a_person_opened_it() {
    let config = ProptestConfig {
        source_file: Some(file!()),
        ..ProptestConfig::with_cases(WALKS)
    };
    let total = Cell::new(Seen::default());
    let mut runner = TestRunner::new(config);
    let tried = runner.run(&any::<u64>(), |seed| {
        let mut seen = total.get();
        walk(seed, &mut seen);
        total.set(seen);
        Ok(())
    });
    if let Err(error) = tried {
        panic!("{error}\n{runner}");
    }
    // Thousands of calls run, and dozens are held back.
    let total = total.get();
    assert!(total.ran > 200 && total.held_back > 5, "{total:?}");
}
