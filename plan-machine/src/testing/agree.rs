//! Runs generated code and the interpreter side by side.

use std::collections::BTreeSet;
use std::path::Path;

use super::damage;
use super::random::{Dice, RandomEvent, Sender};
use super::waits::{Clock, next_call};
use crate::core::description::{Description, Event, EventKind};
use crate::core::id::Id;
use crate::dynamic::interpret::InterpretedMachine;
use crate::dynamic::machine::{
    CallKind, Env, Machine, Outcome, PlanTimers, PlanView, StoredPlans, UnknownEvent,
};
use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::CatchUp;

/// The number of events in one session before the next session starts: enough to fill lists, but small enough for many
/// sessions.
const SESSION: usize = 80;

/// Sends this many random events, valid and invalid ones, to a generated machine and to the interpreter of its spec. If
/// the machine has timers, a random amount of time passes between the events, and timers that are due fire. The path of
/// the spec is relative to the root of the crate.
///
/// # Panics
///
/// At the first event after which the two differ in anything visible: the state, the data, the
/// revision, the edition, the token, the timers, the effects, the reply, the denial, or the host tools
/// that could run. Also if one of them restores altered stored plans that the other rejects, or if the spec
/// cannot be read or is not the one that the machine was compiled from.
pub fn agree(machine: &impl Machine, spec: &str, events: usize) -> Coverage {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let interpreted = match InterpretedMachine::open(Path::new(&root).join(spec)) {
        Ok(interpreted) => interpreted,
        Err(unsound) => panic!("{unsound}"),
    };
    agree_with(machine, &interpreted, events, 1)
}

/// The events that a random run covered.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// The accepted events, each with the state in which it was accepted: `none` if there was no plan.
    pub transitions: BTreeSet<(String, String)>,
    /// The number of events that were accepted, including host tools that may run.
    pub accepted: usize,
    /// The number of events that were denied, or that the machine does not define.
    pub denied: usize,
}

/// Like [`agree`], with an existing interpreter and a seed for the random events.
///
/// # Panics
///
/// At the first event after which the generated machine and the interpreter differ; also if the interpreter's spec is
/// not the one that the machine was compiled from.
pub fn agree_with(
    machine: &impl Machine,
    interpreted: &InterpretedMachine,
    events: usize,
    seed: u64,
) -> Coverage {
    let (compiled, spec) = (machine.description(), interpreted.description());
    assert!(
        compiled == spec,
        "{} is not the spec that {} was compiled from",
        spec.name,
        compiled.name
    );
    let mut dice = Dice::new(seed);
    let mut shown = Coverage::default();
    let mut left = events;
    while left > 0 {
        let length = left.min(SESSION);
        session(machine, interpreted, length, &mut dice, &mut shown);
        left -= length;
    }
    shown
}

fn session<M: Machine>(
    machine: &M,
    interpreted: &InterpretedMachine,
    events: usize,
    dice: &mut Dice,
    seen: &mut Coverage,
) {
    let mut pair = Pair {
        machine,
        interpreted,
        held: (machine.empty(), interpreted.empty()),
    };
    let mut clock = Clock::new(interpreted.description());
    let mut batch = None;
    for number in 0..events {
        let timers = pair.timers();
        let mut sender = Sender {
            machine: interpreted.description(),
            dice: &mut *dice,
            transitions: &seen.transitions,
        };
        let plans = interpreted.plans(&pair.held.1);
        let mut sent = sender.event(&plans, interpreted.slot(&pair.held.1));
        let now = clock.advance(sent.at, &timers.running, dice);
        sent.at = Some(now);
        if let Some(call) = clock.call(interpreted.description(), &plans, dice) {
            sent.call = call;
        }
        if let Some(mut catch_up) = clock.before(now) {
            pair.catch_up(now, &mut catch_up, seen);
        }
        // Sometimes, a few calls form one model response.
        if dice.once_in(5) {
            batch = Some((
                machine.batch_start(&pair.held.0),
                interpreted.batch_start(&pair.held.1),
            ));
        } else if dice.once_in(3) {
            batch = None;
        }
        assert_eq!(batch.map(|starts| starts.0), batch.map(|starts| starts.1));
        sent.call.batch = batch.map(|starts| starts.0);
        pair.send(&sent, seen);
        for tool in host_tools(interpreted.description()) {
            let open = (
                machine.could_run(&pair.held.0, tool, now),
                interpreted.could_run(&pair.held.1, tool, now),
            );
            assert_eq!(open.0, open.1, "{tool} after {:?}", sent.call);
        }
        // Plans that the event did not affect must not have changed either. Checking all plans after every event would
        // take most of the time.
        if number + 1 == events || dice.once_in(10) {
            let mut stored = same(machine, interpreted, &pair.held);
            damage::read_alike(machine, interpreted, &stored, dice);
            damage::change_spec(machine.description(), &mut stored, dice);
            pair.held = (restored(machine, &stored), restored(interpreted, &stored));
        }
    }
}

/// A generated machine and the interpreter of its spec, with the plans of the same session.
struct Pair<'m, M: Machine> {
    machine: &'m M,
    interpreted: &'m InterpretedMachine,
    held: (M::HeldPlans, <InterpretedMachine as Machine>::HeldPlans),
}

impl<M: Machine> Pair<'_, M> {
    /// Sends an event to both machines, and checks that the results are equal.
    fn send(&mut self, sent: &RandomEvent, seen: &mut Coverage) -> Option<Outcome> {
        let plans = self.interpreted.plans(&self.held.1);
        let slot = self.interpreted.slot(&self.held.1);
        let outcomes = (
            step(self.machine, &mut self.held.0, sent, plans.len()),
            step(self.interpreted, &mut self.held.1, sent, plans.len()),
        );
        assert!(
            outcomes.0 == outcomes.1,
            "{:?}\ncontext {}\ngenerated: {:#?}\ninterpreted: {:#?}\nbefore: {plans:#?}",
            sent.call,
            sent.context,
            outcomes.0,
            outcomes.1
        );
        match &outcomes.0 {
            Ok(outcome) => note(sent, &plans, slot, outcome, seen),
            Err(_) => seen.denied += 1,
        }
        outcomes.0.ok()
    }

    /// Fires the timers that are due by an instant.
    fn catch_up(&mut self, now: Instant, catch_up: &mut CatchUp, seen: &mut Coverage) {
        while let Some((sent, due)) = next_call(self.interpreted, &self.held.1, now, catch_up) {
            let outcome = self.send(&sent, seen);
            let accepted = outcome.filter(Outcome::is_accepted);
            let accepted = accepted.unwrap_or_else(|| panic!("denied: {:?}", sent.call));
            if let Some(due) = due {
                due.fired(&accepted, catch_up);
            }
            self.timers();
        }
    }

    /// Returns the timers, which must be the same in both machines.
    fn timers(&self) -> PlanTimers {
        let timers = self.machine.timers(&self.held.0);
        assert_eq!(timers, self.interpreted.timers(&self.held.1));
        timers
    }
}

/// Returns the names of the machine's entries for host tools.
fn host_tools(machine: &'static Description) -> impl Iterator<Item = &'static str> {
    let of_host =
        |event: &&Event| matches!(event.kind, EventKind::External | EventKind::OtherTools);
    let events = machine.events.iter().filter(of_host);
    events.map(|event| event.name)
}

fn note(
    sent: &RandomEvent,
    plans: &[PlanView],
    slot: Option<usize>,
    outcome: &Outcome,
    seen: &mut Coverage,
) {
    let taken = match outcome {
        Outcome::Denied(_) => {
            seen.denied += 1;
            return;
        }
        Outcome::Run { .. } => None,
        Outcome::Accepted(taken) => Some(taken),
    };
    seen.accepted += 1;
    let (CallKind::Event(event) | CallKind::HostTool(event)) = &sent.call.what;
    let touched = taken.into_iter().flat_map(|taken| &taken.plans);
    let before = |id: &Id| plans.iter().find(|plan| plan.id == *id);
    let mut states: Vec<&str> = touched
        .filter_map(|plan| before(&plan.id))
        .map(|plan| &*plan.state)
        .collect();
    states.extend(slot.map(|at| &*plans[at].state));
    if states.is_empty() {
        states.push("none");
    }
    for state in states {
        seen.transitions
            .insert((state.to_owned(), event.to_string()));
    }
}

/// Checks that both machines have the same plans and advertise the same tools.
fn same<M: Machine>(
    machine: &M,
    interpreted: &InterpretedMachine,
    held: &(M::HeldPlans, <InterpretedMachine as Machine>::HeldPlans),
) -> StoredPlans {
    let plans = machine.plans(&held.0);
    assert_eq!(plans, interpreted.plans(&held.1));
    let slot = machine.slot(&held.0);
    assert_eq!(slot, interpreted.slot(&held.1));
    assert_eq!(machine.advertised(&held.0), interpreted.advertised(&held.1));
    let editions = machine.editions(&held.0);
    assert_eq!(editions, interpreted.editions(&held.1));
    StoredPlans {
        plans,
        slot,
        editions: editions.last(),
    }
}

/// Restores stored plans and checks that nothing was lost.
fn restored<M: Machine>(machine: &M, stored: &StoredPlans) -> M::HeldPlans {
    match machine.restore(stored) {
        Ok(held) => {
            assert_eq!(machine.plans(&held), stored.plans);
            assert_eq!(machine.editions(&held).last(), stored.editions);
            held
        }
        Err(damaged) => panic!("{damaged}"),
    }
}

fn step<M: Machine>(
    machine: &M,
    held: &mut M::HeldPlans,
    sent: &RandomEvent,
    plans: usize,
) -> Result<Outcome, UnknownEvent> {
    let mut env = Env {
        now: sent.at.unwrap_or(START_OF_TIME),
        new_id: Id::from(format!("plan-{}", plans + 1)),
        context: &sent.context,
        host_tools: sent.host_tools.as_ref(),
    };
    machine.step(held, &sent.call, &mut env)
}
