//! Runs the scenarios of a spec as tests against generated code.

mod judge;
mod read;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::step::START_OF_TIME;

use crate::core::id::Id;
use crate::dynamic::command::call_of_line;
use crate::dynamic::machine::{Call, CallKind, Env, Machine, Outcome, ShownToken};
use read::{Sent, Step};

/// Runs a scenario, which has one step per line.
///
/// # Panics
///
/// At the first step whose result differs from the expected one; the message shows both.
pub fn scenario<M: Machine>(machine: &M, steps: &[&str]) {
    let mut held = machine.empty();
    let (mut given, mut number) = (None, 0);
    for text in steps {
        let step = Step::read(text);
        // The steps of each given scenario are numbered separately.
        number = if step.given == given { number + 1 } else { 1 };
        given.clone_from(&step.given);
        let of = given
            .iter()
            .map(|given| format!(" of the given scenario `{given}`"));
        let of: String = of.collect();
        for _ in 0..step.repeat {
            let outcomes = send(machine, &mut held, &step);
            let differences = judge::judge(machine, &held, &step, &outcomes);
            assert!(
                differences.is_empty(),
                "the result of step {number}{of} is not as expected: {}\nthe step: {text}",
                differences.join("; ")
            );
        }
    }
}

fn send<M: Machine>(machine: &M, held: &mut M::HeldPlans, step: &Step) -> Vec<Outcome> {
    let start = machine.batch_start(held);
    let mut outcomes = Vec::new();
    for sent in &step.calls {
        let mut call = call_of(machine, held, sent);
        call.batch = step.batch.then_some(start);
        outcomes.push(one(machine, held, &call, &step.context, step.at));
    }
    outcomes
}

/// Runs one step in a session whose plan ids are `plan-1`, `plan-2`, …
pub(crate) fn one<M: Machine>(
    machine: &M,
    held: &mut M::HeldPlans,
    call: &Call,
    context: &Object,
    at: Option<crate::Instant>,
) -> Outcome {
    let number = machine.plans(held).len() + 1;
    let mut env = Env {
        now: at.unwrap_or(START_OF_TIME),
        new_id: Id::from(format!("plan-{number}")),
        context,
        host_tools: None,
    };
    let stepped = machine.step(held, call, &mut env);
    stepped.unwrap_or_else(|unknown| panic!("{unknown}"))
}

fn call_of<M: Machine>(machine: &M, held: &M::HeldPlans, sent: &Sent) -> Call {
    let mut call = match &sent.what {
        read::What::Event(name) => Call::new(CallKind::Event(name.clone().into())),
        read::What::Tool(name) => Call::new(CallKind::HostTool(name.clone().into())),
        read::What::Line(line) => {
            let ids: Vec<Id> = machine
                .plans(held)
                .into_iter()
                .map(|plan| plan.id)
                .collect();
            let is_plan = |word: &str| ids.iter().any(|id| *id == *word);
            match call_of_line(machine.description(), is_plan, line) {
                Ok(call) => call,
                Err(message) => panic!("{message}"),
            }
        }
    };
    // A scenario assumes that the person has just seen the plan.
    if call.token == ShownToken::Missing {
        call.token = ShownToken::Current;
    }
    if matches!(sent.what, read::What::Tool(_)) {
        call.with = sent.with.clone();
    } else {
        call.take_payload(&sent.with);
    }
    if sent.plan_id.is_some() {
        call.plan_id.clone_from(&sent.plan_id);
    }
    call.expect_revision = sent.expect_revision;
    call
}
