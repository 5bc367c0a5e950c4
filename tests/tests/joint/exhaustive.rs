//! Follows every event of a generated session from every configuration that it leads to, in the real gate, and compares
//! what it finds with the verdicts. Unlike a random run, this misses nothing within its budget.

use std::collections::HashMap;

use plan_machine::gate::Gate;
use plan_machine::machine::PlanView;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;

use super::claims::{Claim, Done, Kind};
use super::run::{Run, replay};
use super::tried::{copied, has_alternatives, host_calls};

/// The maximum number of plans that a machine with many plans may have.
const PLANS: usize = 2;

/// A configuration of a session, and how it was reached first.
struct Visit {
    gate: Gate,
    now: Instant,
    /// For each claim, whether its condition is true here.
    truths: Vec<bool>,
    reached: Option<(usize, Json)>,
}

/// What was found in a session.
pub(super) struct Explored {
    visits: Vec<Visit>,
    places: HashMap<String, usize>,
    /// For each claim, the first run that breaks it.
    pub(super) broken: Vec<Option<Vec<Json>>>,
    /// Whether every configuration was followed.
    pub(super) is_complete: bool,
}

impl Explored {
    /// Follows at most `budget` configurations.
    pub(super) fn of(gate: Gate, kind: Kind, claims: &[Claim], budget: usize) -> Self {
        let first = Visit {
            truths: claims.iter().map(|claim| claim.is_true(&gate)).collect(),
            gate,
            now: START_OF_TIME,
            reached: None,
        };
        let is_broken = |claim: &Claim| claim.is_broken_in(&first.gate).then(Vec::new);
        let mut explored = Self {
            places: HashMap::from([(place(&first.gate, first.now), 0)]),
            broken: claims.iter().map(is_broken).collect(),
            visits: vec![first],
            is_complete: true,
        };
        let mut next = 0;
        while next < explored.visits.len() && next < budget {
            for step in steps(&explored.visits[next].gate) {
                explored.follow(next, step, kind, claims);
            }
            next += 1;
        }
        explored.is_complete &= next == explored.visits.len();
        explored
    }

    fn follow(&mut self, from: usize, step: Json, kind: Kind, claims: &[Claim]) {
        let before = &self.visits[from];
        let mut run = Run::from(copied(&before.gate), kind, before.now);
        let (taken, called) = run.observe(|run| replay(run, &step));
        let place = place(&run.gate, run.now);
        let known = self.places.get(&place).copied();
        let truths = match known {
            Some(known) => self.visits[known].truths.clone(),
            None => claims
                .iter()
                .map(|claim| claim.is_true(&run.gate))
                .collect(),
        };
        let mut done = Done {
            was_true: false,
            is_true: false,
            taken,
            called,
        };
        for (at, claim) in claims.iter().enumerate() {
            (done.was_true, done.is_true) = (before.truths[at], truths[at]);
            if self.broken[at].is_none() && done.breaks(claim, &run.gate) == Some(true) {
                self.broken[at] = Some(self.run_to(from, &step));
            }
        }
        if known.is_some() {
            return;
        }
        if has_too_many_plans(&run.gate) {
            self.is_complete = false;
            return;
        }
        self.places.insert(place, self.visits.len());
        self.visits.push(Visit {
            gate: run.gate,
            now: run.now,
            truths,
            reached: Some((from, step)),
        });
    }

    /// Returns the events that lead to a configuration, and one more.
    fn run_to(&self, mut at: usize, last: &Json) -> Vec<Json> {
        let mut run = vec![last.clone()];
        while let Some((from, step)) = &self.visits[at].reached {
            run.push(step.clone());
            at = *from;
        }
        run.reverse();
        run
    }
}

/// Returns everything that can happen in a configuration: each command, to each plan; each call that the generated
/// machines distinguish; and a wait, if a timer is running.
fn steps(gate: &Gate) -> Vec<Json> {
    let mut all = Vec::new();
    for (at, machine) in gate.machines().iter().enumerate() {
        let mut ids = vec![None];
        if machine.description().is_many() {
            let plans = live(machine.plans()).into_iter();
            ids.extend(plans.map(|plan| Some(plan.id.to_string())));
        }
        for id in &ids {
            for event in ["c0", "c1", "c2"] {
                all.push(step("do", &format!("m{at}.{event}"), id.as_deref()));
            }
            all.push(step("tool", &format!("t{at}"), id.as_deref()));
        }
    }
    for (tool, args, class) in host_calls(gate) {
        let mut call = step("tool", tool, None);
        call.insert("with", args);
        if let Some(class) = class {
            call.insert("class", class);
        }
        if has_alternatives(gate) {
            let mut safe = Object::new();
            safe.insert("safe", true);
            let mut safely = call.clone();
            safely.insert("context", safe);
            all.push(safely);
        }
        all.push(call);
    }
    if gate.due().is_some() {
        all.push(step("wait", "1s", None));
    }
    all.into_iter().map(Json::from).collect()
}

/// Returns a step in the form in which a counterexample contains it.
fn step(kind: &str, name: &str, plan: Option<&str>) -> Object {
    let mut step = Object::new();
    step.insert(kind.to_owned(), name);
    if let Some(plan) = plan {
        step.insert("plan_id", plan);
    }
    step
}

fn live(mut plans: Vec<PlanView>) -> Vec<PlanView> {
    plans.retain(|plan| plan.state != "END");
    plans
}

fn has_too_many_plans(gate: &Gate) -> bool {
    let mut machines = gate.machines().iter();
    machines.any(|machine| live(machine.plans()).len() > PLANS)
}

/// Returns everything on which the future of a session depends: the states and data of its plans, and how long their
/// timers run.
fn place(gate: &Gate, now: Instant) -> String {
    let plans = gate.machines().iter().flat_map(|machine| {
        let plans = live(machine.plans()).into_iter();
        let told = plans.map(|plan| {
            let left = plan.timers.iter().map(|(name, due)| {
                let due = due
                    .as_text()
                    .map(|due| Instant::parse(due).expect("a time"));
                let left = due.map(|due| due.since_1970().saturating_sub(now.since_1970()));
                format!("{name}: {left:?}")
            });
            let left: Vec<String> = left.collect();
            format!("{} {} {left:?}", plan.state, plan.data)
        });
        told.chain(["; ".to_owned()]).collect::<Vec<String>>()
    });
    plans.collect()
}
