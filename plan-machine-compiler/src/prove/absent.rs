//! Evaluates conditions when there is no plan. Conditions on states and gating still have truth values, but conditions
//! on data do not.

use super::abstraction::Abs;
use super::evaluate::Scope;
use super::known::KnownFacts;
use super::notes::Unset;
use super::truth::Truth;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Gate};
use crate::model::machine::Machine;
use crate::model::{EventId, StateId};

/// Returns whether a condition holds when there is no plan; `None` if that depends on the data of a plan. `false and …`
/// is false and `true or …` is true, whatever the rest of the condition is. `claim` decides the claims about calls that
/// the state alone does not decide.
pub(super) fn without_plan(
    machine: &Machine,
    condition: &Expr,
    claim: &dyn Fn(Gate, EventId) -> Option<Truth>,
) -> Option<Truth> {
    let truth = |inner: &Expr| without_plan(machine, inner, claim);
    let not = |truth: Option<Truth>| truth.map(Truth::not);
    match &condition.kind {
        ExprKind::Not(inner) => not(truth(inner)),
        ExprKind::Binary(BinaryOp::And, left, right) => both(truth(left), truth(right)),
        ExprKind::Binary(BinaryOp::Or, left, right) => {
            not(both(not(truth(left)), not(truth(right))))
        }
        ExprKind::Binary(BinaryOp::Implies, left, right) => {
            not(both(truth(left), not(truth(right))))
        }
        _ if reads_data(condition) => None,
        ExprKind::Gate(gate, event) => {
            Some(claim(*gate, *event).unwrap_or_else(|| in_none(machine, condition)))
        }
        _ => Some(in_none(machine, condition)),
    }
}

fn both(left: Option<Truth>, right: Option<Truth>) -> Option<Truth> {
    match (left, right) {
        (Some(Truth::No), _) | (_, Some(Truth::No)) => Some(Truth::No),
        (Some(left), Some(right)) => Some(left.and(right)),
        // The undecided part may turn out to be false, which would make the whole condition false.
        (Some(Truth::Unknown), None) | (None, Some(Truth::Unknown)) => Some(Truth::Unknown),
        _ => None,
    }
}

/// Evaluates a condition that does not read data.
fn in_none(machine: &Machine, condition: &Expr) -> Truth {
    let unset = Unset::default();
    let scope = Scope {
        machine,
        leaf: StateId::NONE,
        data: &[],
        measures: &[],
        previous: &Abs::Unset,
        event: &[],
        context: &[],
        host_call: None,
        item: None,
        known: &KnownFacts::default(),
        unset: &unset,
    };
    scope.truth(condition)
}

/// Returns whether a condition reads anything of the record besides its state.
fn reads_data(expr: &Expr) -> bool {
    let mut reads = false;
    expr.walk(&mut |inner| {
        reads |= matches!(
            inner.kind,
            ExprKind::Data(_) | ExprKind::AllData | ExprKind::Plan(_)
        );
    });
    reads
}
