//! Narrows what is known about the data by assuming that a condition is true or false.

use super::abstraction::{Abs, Items, items_of, possible_items};
use super::evaluate::Scope;
use super::truth::Truth;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Is, Quantifier};
use crate::model::types::Type;

/// Narrows what is known about the data by assuming a truth value for a condition that the abstraction did not decide.
/// A condition of an unsupported form narrows nothing, which is always sound.
pub(super) fn refined(scope: &Scope<'_>, condition: &Expr, truth: bool) -> Vec<Abs> {
    let mut data = scope.data.to_vec();
    narrow(scope, condition, truth, &mut data);
    data
}

fn narrow(scope: &Scope<'_>, condition: &Expr, truth: bool, data: &mut [Abs]) {
    match &condition.kind {
        ExprKind::Not(inner) => narrow(scope, inner, !truth, data),
        ExprKind::Binary(BinaryOp::And, left, right) if truth => {
            narrow(scope, left, true, data);
            narrow(scope, right, true, data);
        }
        ExprKind::Binary(BinaryOp::Or, left, right) if !truth => {
            narrow(scope, left, false, data);
            narrow(scope, right, false, data);
        }
        ExprKind::Binary(BinaryOp::Implies, left, right) if !truth => {
            narrow(scope, left, true, data);
            narrow(scope, right, false, data);
        }
        ExprKind::Is(inner, Is::Set, negated) => {
            if let ExprKind::Data(field) = inner.kind
                && data[field.index()] == Abs::Anything
            {
                let set = truth != *negated;
                data[field.index()] = if set { Abs::Something } else { Abs::Unset };
            }
        }
        ExprKind::Quantified(quantifier, list, condition) => {
            let kept = match (quantifier, truth) {
                (Quantifier::No, true) | (Quantifier::Any, false) => Truth::Yes,
                (Quantifier::Every, true) => Truth::No,
                _ => return,
            };
            if let ExprKind::Data(field) = list.kind {
                drop_items(scope, list, condition, kept, &mut data[field.index()]);
            }
        }
        _ => {}
    }
}

/// Removes the items for which the condition certainly has this truth value, because the list cannot contain such
/// items.
fn drop_items(scope: &Scope<'_>, list: &Expr, condition: &Expr, gone: Truth, value: &mut Abs) {
    let (Type::List(item), Abs::Items(items)) = (&list.ty, &*value) else {
        return;
    };
    let Some(possible) = possible_items(scope.machine, item, items) else {
        return;
    };
    let mut left: Option<Items> = None;
    for candidate in &possible {
        let inside = Scope {
            item: Some(candidate),
            ..*scope
        };
        if inside.truth(condition) != gone {
            let one = items_of(scope.machine, item, candidate);
            left = Some(left.map_or_else(|| one.clone(), |all| all.union(&one)));
        }
    }
    if let Some(left) = left {
        *value = Abs::Items(left);
    }
}
