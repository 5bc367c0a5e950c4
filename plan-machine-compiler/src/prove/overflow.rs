//! Whether a number may grow beyond what fits, which denies a step.
//!
//! A number that is only ever counted up from what the spec writes never gets there. One that came
//! with an event or from the host may be as large as can be. What comes with the event itself is in
//! the sender's hands.

use super::relevance::{expressions_of, values_of};
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::machine::{Emit, HandlerKind, Machine};
use crate::model::types::Type;
use crate::model::value::Value;

/// The transitions that may be denied because of a number.
pub(super) struct Overflow {
    transitions: Vec<bool>,
}

impl Overflow {
    /// Looks at every sum of a machine.
    pub(super) fn of(machine: &Machine) -> Self {
        let large = large_fields(machine);
        let grows = |expr: &Expr| grows(expr, &large);
        let on_the_way = |emits: &[Emit]| {
            emits
                .iter()
                .flat_map(|emit| &emit.fields)
                .flatten()
                .any(grows)
        };
        let mut states = machine.states.iter();
        let in_effects = states.any(|state| on_the_way(&state.enter) || on_the_way(&state.exit));
        let mut transitions = vec![false; machine.transitions.len()];
        for handler in &machine.handlers {
            let HandlerKind::Transitions(alternatives) = &handler.kind else {
                continue;
            };
            // The conditions of the alternatives before it are evaluated as well.
            let mut earlier = false;
            for id in alternatives {
                let transition = machine.transition(*id);
                earlier |= transition.when.iter().any(|when| grows(&when.expr));
                let moves = transition.to.is_some() || transition.next.is_some();
                let own = expressions_of(transition).into_iter().any(grows);
                transitions[id.index()] = earlier || own || (moves && in_effects);
            }
        }
        Self { transitions }
    }

    /// Whether taking a transition may make a number grow beyond what fits.
    pub(super) fn may_happen(&self, taken: crate::model::TransitionId) -> bool {
        self.transitions[taken.index()]
    }
}

/// The fields that may hold any number: those that get one from an event, from the host or from
/// another such field.
fn large_fields(machine: &Machine) -> Vec<bool> {
    let defaults = machine.data.iter().map(|field| field.default.as_ref());
    let mut large: Vec<bool> = defaults.map(|value| value.is_some_and(is_huge)).collect();
    loop {
        let mut grew = false;
        for change in machine.transitions.iter().flat_map(|taken| &taken.changes) {
            let at = change.field.index();
            let from_outside = |expr: &Expr| {
                let mut found = false;
                expr.walk(&mut |inner| {
                    found |= match inner.kind {
                        ExprKind::Event(_) | ExprKind::Context(_) => {
                            holds_numbers(machine, &inner.ty)
                        }
                        ExprKind::Data(field) => large[field.index()],
                        ExprKind::Value(ref value) => is_huge(value),
                        _ => false,
                    }
                });
                found
            };
            if !large[at] && values_of(&change.kind).into_iter().any(from_outside) {
                large[at] = true;
                grew = true;
            }
        }
        if !grew {
            return large;
        }
    }
}

/// A number from which nobody can count far.
fn is_huge(value: &Value) -> bool {
    match value {
        Value::Int(number) => number.unsigned_abs() > 1 << 62,
        Value::List(values) | Value::Record(values) => values.iter().any(is_huge),
        _ => false,
    }
}

fn holds_numbers(machine: &Machine, ty: &Type) -> bool {
    match ty.required() {
        Type::Int => true,
        Type::List(item) => holds_numbers(machine, item),
        Type::Record(id) => {
            let mut fields = machine.type_def(*id).fields().iter();
            fields.any(|field| holds_numbers(machine, &field.ty))
        }
        _ => false,
    }
}

/// Whether an expression adds to a number that may be large, or takes from it.
fn grows(expr: &Expr, large: &[bool]) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| {
        if let ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) = &inner.kind {
            found |= reads_large(left, large) || reads_large(right, large);
        }
    });
    found
}

fn reads_large(expr: &Expr, large: &[bool]) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| {
        found |= match inner.kind {
            ExprKind::Data(field) => large[field.index()],
            ExprKind::Value(ref value) => is_huge(value),
            ExprKind::Context(_) | ExprKind::Item => true,
            _ => false,
        }
    });
    found
}
