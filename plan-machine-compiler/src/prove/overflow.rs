//! Determines whether a number may overflow. An overflow causes the step to be denied.
//!
//! A number that is only ever counted in small steps, starting from a value in the spec, stays far from the limit. A
//! number that comes from an event or from the host may be arbitrarily large, unless a condition limits it, and so may
//! a number that is added to itself. The sender of an event, however, can choose numbers for its own payload that do
//! not overflow.

use super::field_ranges::{ANY, MOST_LENGTH, Range, field_ranges, is_count};
use crate::model::TransitionId;
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::machine::{HandlerKind, Machine, Transition};
use crate::model::value::Value;

/// Determines which sums of a machine cannot overflow.
pub(super) struct Overflow {
    /// The range of each field that is a number; `None` for a field that never contains a number.
    fields: Vec<Option<Range>>,
    /// For each transition: the expressions with sums that are evaluated when the transition is taken.
    sums: Vec<Vec<Sum>>,
}

/// An expression with a sum.
#[derive(Clone)]
struct Sum {
    expr: Expr,
    /// Whether the expression reads the record before the step.
    before: bool,
}

impl Overflow {
    /// Examines every sum of a machine.
    pub(super) fn of(machine: &Machine) -> Self {
        let states = machine.states.iter();
        let emits = states.flat_map(|state| state.enter.iter().chain(&state.exit));
        let in_effects = sums(emits.flat_map(|emit| emit.fields.iter().flatten()), false);
        let mut all = vec![Vec::new(); machine.transitions.len()];
        for handler in &machine.handlers {
            let HandlerKind::Transitions(alternatives) = &handler.kind else {
                continue;
            };
            // The conditions of earlier alternatives are evaluated as well.
            let mut earlier = Vec::new();
            for id in alternatives {
                let transition = machine.transition(*id);
                let own = &mut all[id.index()];
                own.clone_from(&earlier);
                own.extend(sums(read_before(transition).into_iter(), true));
                own.extend(sums(read_after(transition), false));
                if transition.to.is_some() || transition.next.is_some() {
                    own.extend(in_effects.iter().cloned());
                }
                earlier.extend(sums(transition.when.iter().map(|when| &when.expr), true));
            }
        }
        Self {
            fields: field_ranges(machine),
            sums: all,
        }
    }

    /// Returns whether no sum of a transition overflows with this payload.
    pub(super) fn is_safe(&self, taken: TransitionId, payload: &[Value]) -> bool {
        let mut sums = self.sums[taken.index()].iter();
        sums.all(|sum| self.fits(sum, Some(payload)))
    }

    /// Returns the first sum of a transition that may overflow with some payload: neither the possible ranges of the
    /// numbers nor what is known about the record before the step rules that out.
    pub(super) fn doubtful(
        &self,
        taken: TransitionId,
        fits_here: impl Fn(&Expr) -> bool,
    ) -> Option<&Expr> {
        let mut sums = self.sums[taken.index()].iter();
        let is_safe = |sum: &Sum| self.fits(sum, None) || (sum.before && fits_here(&sum.expr));
        sums.find(|sum| !is_safe(sum)).map(|sum| &sum.expr)
    }

    fn fits(&self, sum: &Sum, payload: Option<&[Value]>) -> bool {
        let range = self.range(&sum.expr, payload);
        range.is_none_or(|(least, most)| ANY.0 <= least && most <= ANY.1)
    }

    /// Returns the range of a numeric expression; `None` if the expression has no value.
    fn range(&self, expr: &Expr, payload: Option<&[Value]>) -> Option<Range> {
        let inside = |range: Range| (range.0.max(ANY.0), range.1.min(ANY.1));
        let of = |expr: &Expr| self.range(expr, payload).map(inside);
        match &expr.kind {
            ExprKind::Value(Value::Int(number)) => Some((i128::from(*number), i128::from(*number))),
            ExprKind::Data(field) => self.fields[field.index()],
            ExprKind::Event(field) => match payload.and_then(|all| all.get(field.index())) {
                Some(Value::Int(number)) => Some((i128::from(*number), i128::from(*number))),
                Some(Value::Unset) => None,
                _ => Some(ANY),
            },
            ExprKind::Proved(inner) => of(inner),
            ExprKind::Binary(BinaryOp::Coalesce, left, right) => match (of(left), of(right)) {
                (Some(left), Some(right)) => Some((left.0.min(right.0), left.1.max(right.1))),
                (left, right) => left.or(right),
            },
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                Some((left.0 + right.0, left.1 + right.1))
            }
            ExprKind::Binary(BinaryOp::Subtract, left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                Some((left.0 - right.1, left.1 - right.0))
            }
            kind if is_count(kind) => Some((0, MOST_LENGTH)),
            _ => Some(ANY),
        }
    }
}

/// Returns every sum and difference in the given expressions.
fn sums<'e>(all: impl Iterator<Item = &'e Expr>, before: bool) -> Vec<Sum> {
    let mut found = Vec::new();
    for expr in all {
        expr.walk(&mut |inner| {
            if let ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) = inner.kind {
                let expr = inner.clone();
                found.push(Sum { expr, before });
            }
        });
    }
    found
}

/// Returns the expressions that a transition evaluates before it changes anything.
fn read_before(transition: &Transition) -> Vec<&Expr> {
    let mut all: Vec<&Expr> = transition.when.iter().map(|when| &when.expr).collect();
    for require in &transition.require {
        all.extend([&require.that.expr, &require.otherwise]);
    }
    for change in &transition.changes {
        all.extend(change.kind.expressions());
    }
    all
}

/// Returns the expressions that a transition evaluates on the record after the changes.
fn read_after(transition: &Transition) -> impl Iterator<Item = &Expr> {
    let emitted = transition.emit.iter();
    let emitted = emitted.flat_map(|emit| emit.fields.iter().flatten());
    emitted.chain(&transition.reply)
}
