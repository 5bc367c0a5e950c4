//! Determines what a condition implies about strings if it is assumed to be true or false.

use super::evaluate::Scope;
use super::pairs::Term;
use crate::model::expr::{BinaryOp, Expr, ExprKind};

/// Returns which strings are equal, and which differ, if the condition has the given truth value. For a condition of
/// an unsupported form, the result is empty, which is always sound.
pub(super) fn equalities(
    scope: &Scope<'_>,
    condition: &Expr,
    truth: bool,
) -> Vec<(Term, Term, bool)> {
    let both = |left: &Expr, left_truth: bool, right: &Expr| {
        let mut all = equalities(scope, left, left_truth);
        all.extend(equalities(scope, right, truth));
        all
    };
    let compared = |left: &Expr, right: &Expr, equal: bool| {
        let terms = scope.term(left).zip(scope.term(right));
        terms.map(|(left, right)| (left, right, equal))
    };
    match &condition.kind {
        ExprKind::Not(inner) => equalities(scope, inner, !truth),
        ExprKind::Binary(BinaryOp::And, left, right) if truth => both(left, true, right),
        ExprKind::Binary(BinaryOp::Or, left, right) if !truth => both(left, false, right),
        ExprKind::Binary(BinaryOp::Implies, left, right) if !truth => both(left, true, right),
        ExprKind::Binary(BinaryOp::Equal, left, right) => {
            compared(left, right, truth).into_iter().collect()
        }
        ExprKind::Binary(BinaryOp::NotEqual, left, right) => {
            compared(left, right, !truth).into_iter().collect()
        }
        ExprKind::In(one, items) if !truth || items.len() == 1 => {
            let items = items.iter();
            items
                .filter_map(|item| compared(one, item, truth))
                .collect()
        }
        _ => Vec::new(),
    }
}
