//! Proves properties of a checked machine: explores everything that is reachable, decides the invariants, and runs the
//! scenarios.
//!
//! The exploration uses an abstraction that contains every concrete run, so whatever holds in the abstraction holds in
//! every run. If an invariant does not hold in the abstraction, the prover searches for a run of the interpreter that
//! breaks it: an invariant is reported as broken only with such a run.

mod absent;
mod abstraction;
mod arithmetic;
mod becomes;
mod bounds;
mod calls;
mod candidates;
mod cells;
mod changes;
mod conditions;
mod config;
mod counting;
mod cuts;
mod decide;
#[cfg(feature = "sessions")]
mod decisions;
mod equalities;
mod evaluate;
pub(crate) mod expect;
#[cfg(feature = "sessions")]
mod explorations;
mod explore;
mod field_ranges;
mod gating;
mod growth;
#[doc(hidden)]
pub mod inspect;
mod judge;
mod known;
mod laws;
mod limits;
mod many;
mod measures;
mod notes;
mod numbers;
mod overflow;
mod pairs;
mod paths;
mod reach;
mod refine;
mod relevance;
mod rules;
pub mod scenarios;
mod shrinks;
#[cfg(feature = "sessions")]
pub mod situations;
mod sums;
mod suspects;
mod suspicion;
mod tools;
mod trace;
mod trace_text;
mod truth;
mod verdict;
#[cfg(feature = "sessions")]
mod walk;
mod ways;
mod witness;

#[cfg(feature = "sessions")]
pub(crate) use decisions::compares_tool;
#[cfg(feature = "sessions")]
pub use explorations::Explorations;
pub use explore::BOUND;
pub use gating::Possible;
pub use trace::TraceStep;
pub use verdict::Verdict;
#[cfg(feature = "sessions")]
pub use walk::Walk;
pub use witness::Effort;

use candidates::Candidates;
use decide::{InvariantVerdict, decide};
use explore::Space;
use judge::Judge;
use measures::TrackedMeasures;
use notes::Unset;
use paths::Paths;
use relevance::Relevant;
use ways::Stepper;
use witness::Search;

use crate::diagnostic::{Sink, Suspect};
use crate::model::machine::Invariant;
use crate::model::{Checked, Machine};

/// The verdict on one invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantReport {
    /// The name of the invariant.
    pub name: String,
    /// Whether the invariant holds.
    pub verdict: Verdict,
}

/// The result of the exploration.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// The number of examined configurations, including "no plan".
    pub explored: usize,
    /// The invariants with their verdicts.
    pub invariants: Vec<InvariantReport>,
}

/// Explores a machine and decides its invariants. Each suspect, an optional that may be unset, is either reported or
/// dropped. `effort` limits the search for runs that break an invariant.
pub fn prove(
    machine: &Checked<Machine>,
    suspects: Vec<Suspect>,
    effort: Effort,
    sink: &mut Sink,
) -> Proof {
    let places: Vec<(u32, u32, u32)> = suspects.iter().filter_map(Suspect::place).collect();
    let mut relevant = Relevant::of(machine, &places, TrackedMeasures::Compared);
    let measures = relevant.cells.measures.len();
    let candidates = Candidates::of(machine, &relevant.cells);
    let unset = Unset::default();
    let looks = !suspects.is_empty();
    let space = explored(machine, &mut relevant, &candidates, &unset, looks);
    if !space.complete {
        sink.push(verdict::too_large(machine));
        for suspect in suspects {
            sink.push(suspect.diagnostic);
        }
        let verdicts = vec![Verdict::Unknown; machine.invariants.len()];
        return proof(machine, &space, &verdicts);
    }
    unset.renew();
    let paths = Paths::of(&space);
    rules::check(machine, &space, &paths, sink);
    let judge = Judge {
        machine,
        space: &space,
        paths: &paths,
        unset: &unset,
    };
    let search = Search::new(machine, &relevant, &candidates, judge.calls(), effort);
    let all: Vec<&Invariant> = machine.invariants.iter().collect();
    let mut decided = decide(machine, &judge, &search, &all);
    if measures == relevant.cells.measures.len() && !unset.is_spent() {
        decide_otherwise(machine, measures, effort, &mut decided);
    }
    let verdicts: Vec<Verdict> = decided.iter().map(|one| one.verdict).collect();
    for found in decided.into_iter().flat_map(|one| one.found) {
        sink.push(found);
    }
    suspects::report(machine, &space, &unset.borrow(), suspects, sink);
    proof(machine, &space, &verdicts)
}

/// Explores the machine again for the undecided invariants, first with more measures of lists and then with none. Every
/// exploration contains all runs, so each exploration may decide an invariant. `measures` is the number of measures
/// that the first exploration tracked.
fn decide_otherwise(
    machine: &Checked<Machine>,
    measures: usize,
    effort: Effort,
    decided: &mut [InvariantVerdict],
) {
    for measured in [TrackedMeasures::Asked, TrackedMeasures::Nothing] {
        let is_open = |at: &usize| decided[*at].verdict == Verdict::Unknown;
        let open: Vec<usize> = (0..decided.len()).filter(is_open).collect();
        if open.is_empty() {
            return;
        }
        let mut relevant = Relevant::of(machine, &[], measured);
        if relevant.cells.measures.len() == measures {
            continue;
        }
        let candidates = Candidates::of(machine, &relevant.cells);
        let unset = Unset::default();
        let space = explored(machine, &mut relevant, &candidates, &unset, false);
        if !space.complete {
            continue;
        }
        unset.renew();
        let judge = Judge {
            machine,
            space: &space,
            paths: &Paths::of(&space),
            unset: &unset,
        };
        let search = Search::new(machine, &relevant, &candidates, judge.calls(), effort);
        let invariants: Vec<&Invariant> = open.iter().map(|at| &machine.invariants[*at]).collect();
        let again = decide(machine, &judge, &search, &invariants);
        for (at, one) in open.into_iter().zip(again) {
            if one.verdict != Verdict::Unknown {
                decided[at] = one;
            }
        }
    }
}

/// Explores a machine that breaks other rules, only to judge its suspects: they are reported if a path confirms them,
/// and dropped otherwise.
pub fn judge_suspects(machine: &Machine, suspects: Vec<Suspect>, sink: &mut Sink) {
    let places: Vec<(u32, u32, u32)> = suspects.iter().filter_map(Suspect::place).collect();
    let mut relevant = Relevant::of(machine, &places, TrackedMeasures::Compared);
    let candidates = Candidates::of(machine, &relevant.cells);
    let unset = Unset::default();
    let space = explored(machine, &mut relevant, &candidates, &unset, true);
    if space.complete {
        suspects::report(machine, &space, &unset.borrow(), suspects, sink);
    }
}

/// Explores everything that is reachable. If distinguishing numbers makes the space too large, the exploration is
/// repeated without the measures of lists, and then without distinguishing any numbers.
fn explored(
    machine: &Machine,
    relevant: &mut Relevant,
    candidates: &Candidates,
    unset: &Unset,
    look_at_effects: bool,
) -> Space {
    let space = |relevant: &Relevant| {
        let stepper = Stepper::new(machine, relevant, candidates, unset, look_at_effects);
        Space::of(machine, &stepper)
    };
    let mut found = space(relevant);
    while !found.complete && relevant.cells.give_up() {
        unset.borrow_mut().clear();
        unset.renew();
        let given_up = found.examined();
        found = space(relevant);
        found.given_up = given_up;
    }
    found
}

fn proof(machine: &Machine, space: &Space, verdicts: &[Verdict]) -> Proof {
    let invariants = machine.invariants.iter().zip(verdicts);
    Proof {
        explored: space.configs.len(),
        invariants: invariants
            .map(|(invariant, verdict)| InvariantReport {
                name: invariant.name.clone(),
                verdict: *verdict,
            })
            .collect(),
    }
}
