//! Lets time pass in a run, and separates the steps of the timers that fire: a sandbox shows only the result of the
//! whole wait.

use std::cell::Cell;
use std::fmt::Write as _;
use std::sync::Arc;

use plan_machine_compiler::model::Machine;
use plan_machine_compiler::semantics::{
    Acceptance, Call, CallKind, Env, HeldRecords, Outcome, Record, STEP_BUDGET, Sandbox, step,
};
use plan_machine_kernel::json::Object;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::{CatchUp, DueTimer, Period, Timer};

/// The lengths of waits, as multiples of the shortest step of time: one step, so that events can be sent between any
/// two timers, and several steps, so that several timers fire in one catch-up.
const TIMES: [u64; 3] = [1, 3, 7];

/// A timer that fired and did something.
pub(crate) struct Fired {
    pub before: HeldRecords,
    pub accepted: Box<Acceptance>,
    pub after: HeldRecords,
}

/// Returns the periods that runs of a machine wait. All timers start and fire at multiples of the shortest one, and
/// events can be sent in the middle of every period.
pub(crate) fn waits(machine: &Machine) -> Vec<Period> {
    let periods = machine.timers().map(|(_, timer)| timer.period.seconds());
    let Some(common) = periods.reduce(common_divisor) else {
        return Vec::new();
    };
    let shortest = if common.is_multiple_of(2) {
        common / 2
    } else {
        common
    };
    let all = TIMES.into_iter();
    all.filter_map(|times| Period::of_seconds(times * shortest))
        .collect()
}

fn common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 {
        one
    } else {
        common_divisor(other, one % other)
    }
}

/// Lets time pass; returns the timers that did something, in their order.
pub(crate) fn wait(sandbox: &mut Sandbox<'_>, period: Period) -> Vec<Fired> {
    let machine = sandbox.machine();
    let until = period.after(sandbox.clock());
    let mut held = sandbox.held().clone();
    let mut catch_up = CatchUp::new(until);
    let mut all = Vec::new();
    while let Some(due) = catch_up.next_due(running(&held)) {
        let before = held.clone();
        let accepted = fire(machine, &mut held, &due, &mut catch_up);
        if !accepted.transitions.is_empty() {
            all.push(Fired {
                before,
                accepted,
                after: held.clone(),
            });
        }
    }
    sandbox.wait(period);
    assert_eq!(*sandbox.held(), held, "the sandbox fires other timers");
    all
}

fn running(held: &HeldRecords) -> Vec<DueTimer> {
    let mut all = Vec::new();
    for (plan, record) in held.records.iter().enumerate() {
        for (timer, state) in (0..).zip(&record.timers) {
            all.extend(state.due().map(|at| DueTimer {
                at,
                machine: 0,
                plan,
                timer,
            }));
        }
    }
    all
}

fn fire(
    machine: &Machine,
    held: &mut HeldRecords,
    due: &DueTimer,
    catch_up: &mut CatchUp,
) -> Box<Acceptance> {
    let id = Arc::clone(&held.records[due.plan].id);
    let event = machine.timer_at(due.timer).expect("a timer of the machine");
    let mut call = Call::new(CallKind::Event(event));
    call.plan_id = Some(id.to_string());
    let number = held.records.len() + 1;
    let mut env = Env {
        now: due.at,
        new_id: &mut || Arc::from(format!("plan-{number}")),
        late: Some(catch_up.fire(0, &id, due.timer)),
        context: &Object::new(),
        host_tools: None,
        budget: Cell::new(STEP_BUDGET),
        evaluations: Cell::new(usize::MAX),
    };
    let outcome = step(machine, held, &call, &mut env);
    if let Some(started) = held.records.get(number - 1) {
        catch_up.succeed(0, &id, &started.id);
    }
    match outcome {
        Outcome::Accepted(accepted) => accepted,
        other => panic!("a timer that is due does not fire: {other:?}"),
    }
}

/// Shows the timers of a record. Two records with the same text have the same future, whatever the clock shows.
pub(crate) fn remaining(record: &Record, clock: Instant) -> String {
    let mut text = String::new();
    for timer in &record.timers {
        let _ = match timer {
            Timer::Off => write!(text, " -"),
            Timer::Spent => write!(text, " spent"),
            Timer::Due(at) => {
                let left = at.since_1970().saturating_sub(clock.since_1970());
                write!(text, " {left:?}")
            }
        };
    }
    text
}
