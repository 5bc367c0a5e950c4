//! Decides conditions as a whole rather than part by part: by the laws of `and`, `or` and `not`, by the facts that hold
//! for a list, and by the assumptions made in this step.

use super::abstraction::{Abs, item_values};
use super::evaluate::Scope;
use super::truth::Truth;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Helper, Is, Quantifier};
use crate::model::logic::Truths;
use crate::model::types::Type;
use crate::model::value::Value;

impl Scope<'_> {
    /// Returns whether a condition holds.
    pub(super) fn truth(&self, expr: &Expr) -> Truth {
        match self.by_parts(expr) {
            Truth::Unknown => decide(self, expr),
            decided => decided,
        }
    }
}

/// Decides a condition that cannot be decided by evaluating its parts one by one.
fn decide(scope: &Scope<'_>, condition: &Expr) -> Truth {
    let assumed = &scope.known.assumed;
    if scope.item.is_some() || (assumed.is_empty() && !has_parts(condition)) {
        return Truth::Unknown;
    }
    let rest = remainder(scope, condition);
    let lists = of_lists(scope, &rest);
    let mut conditions: Vec<(&Expr, bool)> = Vec::new();
    conditions.extend(assumed.iter().map(|(expr, truth)| (expr, *truth)));
    conditions.extend(lists.iter().map(|expr| (expr, true)));
    let exprs: Vec<Option<&Expr>> = conditions
        .iter()
        .map(|(expr, _)| Some(*expr))
        .chain([Some(&rest)])
        .collect();
    let given: Vec<bool> = conditions.iter().map(|(_, truth)| *truth).collect();
    let truths = Truths::of(scope.machine, &exprs);
    scope.unset.spend(truths.as_ref().map_or(64, Truths::size));
    match truths.and_then(|truths| truths.given(&given)) {
        Some(truth) => truth.into(),
        None => Truth::Unknown,
    }
}

fn has_parts(condition: &Expr) -> bool {
    match &condition.kind {
        ExprKind::Not(inner) => has_parts(inner),
        ExprKind::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Implies, ..)
        | ExprKind::Quantified(Quantifier::Any | Quantifier::Every | Quantifier::No, ..) => true,
        // The number of items that satisfy a condition is related to the number of all items.
        ExprKind::Binary(op, left, right) if op.is_comparison() => {
            counts_items(left) && counts_items(right)
        }
        _ => false,
    }
}

fn counts_items(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Quantified(Quantifier::Count, ..) | ExprKind::Call(Helper::Len, _)
    )
}

/// Replaces all decided parts of the condition with their values. Parts that are not evaluated are not replaced: in
/// `d is set and …`, the right side is not read if `d` is unset.
pub(super) fn remainder(scope: &Scope<'_>, condition: &Expr) -> Expr {
    let with = |kind: ExprKind| Expr {
        kind,
        ..condition.clone()
    };
    match scope.by_parts(condition) {
        Truth::Yes => return with(ExprKind::Value(Value::Bool(true))),
        Truth::No => return with(ExprKind::Value(Value::Bool(false))),
        Truth::Unknown => {}
    }
    match &condition.kind {
        ExprKind::Not(inner) => with(ExprKind::Not(Box::new(remainder(scope, inner)))),
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), left, right) => {
            let left = Box::new(remainder(scope, left));
            let right = Box::new(remainder(scope, right));
            with(ExprKind::Binary(*op, left, right))
        }
        _ => condition.clone(),
    }
}

/// Returns the facts that are known about the lists in a condition: that they have items, and which values these items
/// may have.
fn of_lists(scope: &Scope<'_>, condition: &Expr) -> Vec<Expr> {
    let mut lists: Vec<Expr> = Vec::new();
    condition.walk(&mut |inner| {
        if let ExprKind::Quantified(_, list, _) = &inner.kind
            && matches!(list.kind, ExprKind::Data(_))
            && !lists.contains(list)
        {
            lists.push((**list).clone());
        }
    });
    let mut known = Vec::new();
    for list in lists {
        let (Type::List(item), Abs::Items(items)) = (&list.ty, scope.value(&list)) else {
            continue;
        };
        let whole = |kind: ExprKind, ty: &Type| Expr {
            kind,
            ty: ty.clone(),
            span: list.span,
        };
        let boxed = |kind: ExprKind, ty: &Type| Box::new(whole(kind, ty));
        let filled = ExprKind::Is(Box::new(list.clone()), Is::Empty, true);
        known.push(whole(filled, &Type::Bool));
        for (field, ty, values) in item_values(scope.machine, item, &items) {
            let member = || {
                let item = boxed(ExprKind::Item, item);
                boxed(ExprKind::Member(item, field), &ty)
            };
            let set = values.iter().filter(|value| value.is_set());
            let literals = set.map(|value| whole(ExprKind::Value(value.clone()), ty.required()));
            let mut fits = whole(ExprKind::In(member(), literals.collect()), &Type::Bool);
            if values.contains(&Value::Unset) {
                let unset = boxed(ExprKind::Is(member(), Is::Set, true), &Type::Bool);
                let either = ExprKind::Binary(BinaryOp::Or, unset, Box::new(fits));
                fits = whole(either, &Type::Bool);
            }
            let every =
                ExprKind::Quantified(Quantifier::Every, Box::new(list.clone()), Box::new(fits));
            known.push(whole(every, &Type::Bool));
        }
    }
    known
}
