//! Scenarios of a spec, run as tests against generated code.

mod judge;
mod read;

use plan_machine_kernel::json::{Json, Object};

use crate::command::call_of_line;
use crate::id::Id;
use crate::machine::{Call, Env, Machine, Outcome, ShownToken, What};
use read::{Sent, Step};

/// When nothing else is said, it is 2026-01-01T00:00:00Z.
pub(crate) const START_OF_TIME: crate::Instant = crate::Instant::at_second(1_767_225_600);

/// Runs a scenario, a step a line.
///
/// # Panics
///
/// At the first step that differs, with what was expected and what came.
pub fn scenario<M: Machine>(machine: &M, steps: &[&str]) {
    let mut held = machine.empty();
    for (number, text) in steps.iter().enumerate() {
        let step = Step::read(text);
        for _ in 0..step.repeat {
            let outcomes = send(machine, &mut held, &step);
            let differences = judge::judge(machine, &held, &step, &outcomes);
            assert!(
                differences.is_empty(),
                "step {} differs: {}\nthe step: {text}",
                number + 1,
                differences.join("; ")
            );
        }
    }
}

fn send<M: Machine>(machine: &M, held: &mut M::Held, step: &Step) -> Vec<Outcome> {
    let start = machine.batch_start(held);
    let mut outcomes = Vec::new();
    for sent in &step.calls {
        let mut call = call_of(machine, held, sent);
        call.batch = step.batch.then_some(start);
        outcomes.push(one(machine, held, &call, &step.context, step.at));
    }
    outcomes
}

/// One step in a session whose ids are `plan-1`, `plan-2`, …
pub(crate) fn one<M: Machine>(
    machine: &M,
    held: &mut M::Held,
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

fn call_of<M: Machine>(machine: &M, held: &M::Held, sent: &Sent) -> Call {
    let mut call = match &sent.what {
        read::What::Event(name) => Call::new(What::Event(name.clone().into())),
        read::What::Tool(name) => Call::new(What::HostTool(name.clone().into())),
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
    // A person who reads a scenario has just seen the plan.
    if call.token == ShownToken::Missing {
        call.token = ShownToken::Current;
    }
    if matches!(sent.what, read::What::Tool(_)) {
        call.with = sent.with.clone();
    } else {
        take_payload(&mut call, &sent.with);
    }
    if sent.plan_id.is_some() {
        call.plan_id.clone_from(&sent.plan_id);
    }
    call.expect_revision = sent.expect_revision;
    call
}

/// `plan_id` and `token` may stand in the payload; they are no part of it.
fn take_payload(call: &mut Call, with: &Object) {
    for (key, value) in with.iter() {
        match (key, value) {
            ("plan_id", Json::Text(id)) => call.plan_id = Some(id.clone()),
            ("token", Json::Text(token)) if token == "current" => call.token = ShownToken::Current,
            ("token", Json::Text(token)) => call.token = ShownToken::Shown(token.clone()),
            _ => {
                call.with.insert(key.to_owned(), value.clone());
            }
        }
    }
}
