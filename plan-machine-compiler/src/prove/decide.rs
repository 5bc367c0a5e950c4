//! Decides the invariants of an explored machine.

use super::judge::Judge;
use super::suspicion::Suspicion;
use super::trace::TraceStep;
use super::verdict::{self, Verdict};
use super::witness::{Search, SearchTarget};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Machine;
use crate::model::machine::Invariant;

/// The verdict on an invariant, with its diagnostics.
pub(super) struct InvariantVerdict {
    pub(super) verdict: Verdict,
    pub(super) found: Vec<Diagnostic>,
}

/// Decides invariants of a machine.
pub(super) fn decide(
    machine: &Machine,
    judge: &Judge<'_>,
    search: &Search<'_>,
    invariants: &[&Invariant],
) -> Vec<InvariantVerdict> {
    let suspicions: Vec<_> = invariants
        .iter()
        .map(|invariant| match judge.alone(&invariant.property) {
            // A property that is decided by its condition alone does not depend on the machine.
            Some(true) => None,
            _ => judge.suspicion(&invariant.property),
        })
        .collect();
    let wanted: Vec<SearchTarget<'_>> = invariants
        .iter()
        .zip(&suspicions)
        .filter_map(|(invariant, suspicion)| {
            let suspicion = suspicion.as_ref()?;
            Some(SearchTarget {
                property: &invariant.property,
                stuck: &suspicion.stuck,
            })
        })
        .collect();
    let mut runs = search.runs(&wanted).into_iter();
    // The check of whether a proved property is vacuous gets the full work limit again.
    judge.unset.renew();
    let invariants = invariants.iter().zip(&suspicions);
    invariants
        .map(|(invariant, suspicion)| {
            let run = suspicion.as_ref().and_then(|_| runs.next()).flatten();
            decided(machine, judge, invariant, suspicion.as_ref(), run)
        })
        .collect()
}

fn decided(
    machine: &Machine,
    judge: &Judge<'_>,
    invariant: &Invariant,
    suspicion: Option<&Suspicion>,
    run: Option<Vec<TraceStep>>,
) -> InvariantVerdict {
    let alone = judge.alone(&invariant.property);
    let mut found = Vec::new();
    found.extend(alone.map(|holds| verdict::says_nothing(invariant, holds)));
    let undecided =
        |suspicion: &Suspicion| verdict::undecided(machine, judge.space, invariant, suspicion);
    let verdict = match (suspicion, run) {
        (None, _) if alone == Some(true) => Verdict::Proved,
        (None, _) => {
            let reason = judge.vacuity(&invariant.property);
            if judge.unset.is_spent() {
                // The work limit was reached before it was known whether the property is vacuous.
                found.push(undecided(&Suspicion::beyond()));
                Verdict::Unknown
            } else {
                found.extend(reason.map(|why| vacuous(invariant, &why)));
                Verdict::Proved
            }
        }
        (Some(suspicion), Some(trace)) => {
            found.push(verdict::broken(machine, invariant, &trace, suspicion));
            Verdict::Broken
        }
        (Some(suspicion), None) => {
            found.push(undecided(suspicion));
            Verdict::Unknown
        }
    };
    InvariantVerdict { verdict, found }
}

fn vacuous(invariant: &Invariant, reason: &str) -> Diagnostic {
    let message = format!("the invariant `{}` is vacuous: {reason}", invariant.name);
    Diagnostic::new(Code::PM0602, invariant.span, message)
        .label("the invariant holds only for this reason")
        .help("remove the invariant, or change the spec so that the described case can occur")
}
