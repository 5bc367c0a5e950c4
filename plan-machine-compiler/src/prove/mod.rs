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
mod equalities;
mod evaluate;
mod expect;
mod explore;
mod gating;
#[doc(hidden)]
pub mod inspect;
mod judge;
mod known;
mod laws;
mod many;
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
pub mod situations;
mod sums;
mod suspects;
mod suspicion;
mod tools;
mod trace;
mod truth;
mod verdict;
mod walk;
mod ways;
mod witness;

pub use explore::BOUND;
pub use gating::Possible;
pub use trace::TraceStep;

use candidates::Candidates;
use cells::Cells;
use explore::Space;
use judge::Judge;
use notes::Unset;
use paths::Paths;
use relevance::Relevant;
use suspicion::Suspicion;
use ways::Stepper;
use witness::{Search, Wanted};

use crate::diagnostic::{Code, Diagnostic, Sink, Suspect};
use crate::model::{Checked, Machine};

/// The verdict on one invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantReport {
    /// The name of the invariant.
    pub name: String,
    /// Whether the invariant holds.
    pub verdict: Verdict,
}

/// Whether an invariant holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The invariant holds in every run.
    Proved,
    /// A run breaks the invariant.
    Broken,
    /// The invariant was neither proved nor shown to be broken.
    Unknown,
}

impl Verdict {
    /// Returns the word used in messages and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Proved => "proved",
            Verdict::Broken => "broken",
            Verdict::Unknown => "unknown",
        }
    }
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
/// dropped.
pub fn prove(machine: &Checked<Machine>, suspects: Vec<Suspect>, sink: &mut Sink) -> Proof {
    let places: Vec<(u32, u32, u32)> = suspects.iter().filter_map(Suspect::place).collect();
    let mut relevant = Relevant::of(machine, &places);
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
    let search = Search::new(machine, &relevant, &candidates, judge.calls());
    let verdicts = decide(machine, &judge, &search, sink);
    suspects::report(machine, &space, &unset.borrow(), suspects, sink);
    proof(machine, &space, &verdicts)
}

/// Explores a machine that breaks other rules, only to judge its suspects: they are reported if a path confirms them,
/// and dropped otherwise.
pub fn judge_suspects(machine: &Machine, suspects: Vec<Suspect>, sink: &mut Sink) {
    let places: Vec<(u32, u32, u32)> = suspects.iter().filter_map(Suspect::place).collect();
    let mut relevant = Relevant::of(machine, &places);
    let candidates = Candidates::of(machine, &relevant.cells);
    let unset = Unset::default();
    let space = explored(machine, &mut relevant, &candidates, &unset, true);
    if space.complete {
        suspects::report(machine, &space, &unset.borrow(), suspects, sink);
    }
}

/// Explores everything that is reachable. If distinguishing numbers makes the space too large, the exploration is
/// repeated without distinguishing numbers.
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
    let found = space(relevant);
    if found.complete || relevant.cells.is_empty() {
        return found;
    }
    relevant.cells = Cells::default();
    unset.borrow_mut().clear();
    unset.renew();
    space(relevant)
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

fn decide(
    machine: &Machine,
    judge: &Judge<'_>,
    search: &Search<'_>,
    sink: &mut Sink,
) -> Vec<Verdict> {
    let suspicions: Vec<_> = machine
        .invariants
        .iter()
        .map(|invariant| match judge.alone(&invariant.property) {
            // A property that is decided by its condition alone does not depend on the machine.
            Some(true) => None,
            _ => judge.suspicion(&invariant.property),
        })
        .collect();
    let wanted: Vec<Wanted<'_>> = machine
        .invariants
        .iter()
        .zip(&suspicions)
        .filter_map(|(invariant, suspicion)| {
            let suspicion = suspicion.as_ref()?;
            Some(Wanted {
                property: &invariant.property,
                stuck: &suspicion.stuck,
            })
        })
        .collect();
    let mut runs = search.runs(&wanted).into_iter();
    // The check of whether a proved property is vacuous gets the full work limit again.
    judge.unset.renew();
    let mut verdicts = Vec::new();
    for (invariant, suspicion) in machine.invariants.iter().zip(&suspicions) {
        let run = suspicion.as_ref().and_then(|_| runs.next());
        let alone = judge.alone(&invariant.property);
        if let Some(holds) = alone {
            sink.push(verdict::says_nothing(invariant, holds));
        }
        verdicts.push(match (suspicion, run) {
            (None, _) if alone == Some(true) => Verdict::Proved,
            (None, _) => {
                let reason = judge.vacuity(&invariant.property);
                if judge.unset.is_spent() {
                    // The work limit was reached before it was known whether the property is
                    // vacuous.
                    let beyond = Suspicion::beyond();
                    sink.push(verdict::undecided(machine, judge.space, invariant, &beyond));
                    Verdict::Unknown
                } else {
                    let idle = reason.map(|why| vacuous(&invariant.name, invariant.span, &why));
                    if let Some(found) = idle {
                        sink.push(found);
                    }
                    Verdict::Proved
                }
            }
            (Some(suspicion), Some(Some(trace))) => {
                sink.push(verdict::broken(machine, invariant, &trace, suspicion));
                Verdict::Broken
            }
            (Some(suspicion), _) => {
                sink.push(verdict::undecided(
                    machine,
                    judge.space,
                    invariant,
                    suspicion,
                ));
                Verdict::Unknown
            }
        });
    }
    verdicts
}

fn vacuous(name: &str, span: crate::source::Span, reason: &str) -> Diagnostic {
    let message = format!("the invariant `{name}` is vacuous: {reason}");
    Diagnostic::new(Code::PM0602, span, message)
        .label("the invariant holds only for this reason")
        .help("remove the invariant, or change the spec so that the described case can occur")
}
