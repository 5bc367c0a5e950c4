//! Runs the scenarios of a spec as tests against generated code.

mod judge;
mod read;
mod sandbox;

use crate::core::id::Id;
use crate::dynamic::command::call_of_line;
use crate::dynamic::machine::{Call, CallKind, Machine, Outcome, ShownToken};
use read::{Step, StepCall};
pub(crate) use sandbox::Sandbox;

/// Runs a scenario; each string is a step.
///
/// # Panics
///
/// At the first step whose result differs from the expected one, or whose command or event the machine does not have.
/// The message shows what differs.
pub fn scenario<M: Machine>(machine: &M, steps: &[&str]) {
    let mut sandbox = Sandbox::new(machine);
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
            let outcomes = match step.wait {
                Some(period) => {
                    let fired = sandbox.wait(period).into_iter();
                    fired.map(|(_, outcome)| outcome).collect()
                }
                None => send(&mut sandbox, &step),
            };
            let differences = judge::judge(machine, &sandbox.held, &step, &outcomes);
            assert!(
                differences.is_empty(),
                "the result of step {number}{of} is not as expected: {}\nthe step: {text}",
                differences.join("; ")
            );
        }
    }
}

fn send<M: Machine>(sandbox: &mut Sandbox<'_, M>, step: &Step) -> Vec<Outcome> {
    let start = sandbox.machine.batch_start(&sandbox.held);
    let mut outcomes = Vec::new();
    for sent in &step.calls {
        let mut call = call_of(sandbox.machine, &sandbox.held, sent);
        call.batch = step.batch.then_some(start);
        outcomes.push(sandbox.step(&call, &step.context, step.at));
    }
    outcomes
}

fn call_of<M: Machine>(machine: &M, held: &M::HeldPlans, sent: &StepCall) -> Call {
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
