//! Proves the invariants of a session.
//!
//! Each machine is explored alone, and its configurations are grouped into situations by what an
//! invariant asks about the machine. The machines of a session step independently, except that one
//! machine can prevent a step of another, so every reachable combination is in the product of their
//! situations. An invariant that holds in the whole product is proved. Otherwise, the prover
//! searches for a run of the session that breaks it: an invariant is reported as broken only with
//! such a run, and without one it is undecided.

mod budget;
mod concrete;
mod evaluate;
mod joined;
mod product;
mod search;
mod trace;
mod verdict;

use plan_machine_kernel::session::SessionRule;

use super::model::{Invariant, Property, Session, Subject};
use crate::diagnostic::Sink;
use crate::model::Machine;
use crate::prove::situations::{Questions, View};
use crate::prove::{InvariantReport, Verdict};
use budget::Budget;
use concrete::Goal;
use product::{Found, Product};

/// Decides the invariants of a session.
pub(super) fn prove(session: &Session, rule: SessionRule, sink: &mut Sink) -> Vec<InvariantReport> {
    let budget = Budget::new();
    let all = session.invariants.iter();
    let all = all.map(|invariant| InvariantReport {
        name: invariant.name.clone(),
        verdict: decide((session, rule), invariant, &budget, sink),
    });
    all.collect()
}

fn decide(
    (session, rule): (&Session, SessionRule),
    invariant: &Invariant,
    budget: &Budget,
    sink: &mut Sink,
) -> Verdict {
    let Some(views) = views(session, invariant, budget) else {
        sink.push(verdict::too_large(invariant));
        return Verdict::Unknown;
    };
    let product = Product {
        rule,
        invariant,
        views: &views,
        budget,
    };
    match product.examine() {
        Found::Nothing { vacuous } => {
            if let Some(why) = vacuous {
                sink.push(verdict::vacuous(invariant, why));
            }
            Verdict::Proved
        }
        Found::TooLarge => {
            sink.push(verdict::too_large(invariant));
            Verdict::Unknown
        }
        Found::Suspect => {
            let goal = Goal {
                session,
                rule,
                invariant,
            };
            if let Some(trace) = search::run(goal, &views, budget) {
                sink.push(verdict::broken(session, invariant, &trace));
                Verdict::Broken
            } else {
                sink.push(verdict::undecided(invariant));
                Verdict::Unknown
            }
        }
    }
}

/// Explores the machines that an invariant asks about, and the one whose events it restricts; the others do not matter.
/// Returns `None` if there is too much to explore.
fn views(session: &Session, invariant: &Invariant, budget: &Budget) -> Option<Vec<Option<View>>> {
    let restricted = match &invariant.property {
        Property::OnlyIn(Subject::Events { machine, .. }, _) => Some(*machine),
        _ => None,
    };
    let mut views = Vec::new();
    let members = session.members.iter().zip(&invariant.questions);
    for (at, (member, questions)) in members.enumerate() {
        views.push(if questions.is_empty() && restricted != Some(at) {
            None
        } else {
            Some(view(&member.machine, questions, budget)?)
        });
    }
    Some(views)
}

/// Explores a machine, unless the invariants before have left no work for it.
fn view(machine: &Machine, questions: &Questions, budget: &Budget) -> Option<View> {
    if !budget.may_explore() {
        return None;
    }
    let (view, examined) = View::of(machine, questions);
    budget.use_exploration(examined);
    view
}
