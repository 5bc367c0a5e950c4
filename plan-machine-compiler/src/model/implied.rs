//! Determines which optionals are proved to be set if a condition is true, or if it is false.

use super::FieldId;
use super::expr::{BinaryOp, Expr, ExprKind, Is};
use super::machine::Machine;
use super::types::Type;

/// Returns a field of the data as an expression.
pub(crate) fn data(machine: &Machine, field: FieldId) -> Expr {
    let declared = machine.field(field);
    Expr::new(ExprKind::Data(field), declared.ty.clone(), declared.span)
}

/// Returns the expression without the markers for proved optionals.
pub(crate) fn plain(expr: &Expr) -> Expr {
    let inner = |expr: &Expr| Box::new(plain(expr));
    let kind = match &expr.kind {
        ExprKind::Proved(proved) => return plain(proved),
        ExprKind::Member(base, field) => ExprKind::Member(inner(base), *field),
        ExprKind::At(list, index) => ExprKind::At(inner(list), inner(index)),
        ExprKind::Call(helper, arguments) => {
            ExprKind::Call(*helper, arguments.iter().map(plain).collect())
        }
        other => other.clone(),
    };
    Expr::new(kind, Type::Unknown, expr.span)
}

/// Returns the expressions that are proved to be set if the condition evaluates to `truth`.
pub(crate) fn implied(machine: &Machine, condition: &Expr, truth: bool) -> Vec<Expr> {
    match &condition.kind {
        ExprKind::Is(optional, Is::Set, negated) if truth != *negated => vec![plain(optional)],
        ExprKind::InState(state) if truth => machine
            .has(*state)
            .map(|field| plain(&data(machine, field)))
            .collect(),
        ExprKind::Not(inner) => implied(machine, inner, !truth),
        ExprKind::Binary(op, left, right) => {
            let (left_truth, together) = match op {
                BinaryOp::And => (truth, truth),
                BinaryOp::Or => (truth, !truth),
                BinaryOp::Implies => (!truth, !truth),
                _ => return Vec::new(),
            };
            let left = implied(machine, left, left_truth);
            let right = implied(machine, right, truth);
            if together {
                left.into_iter().chain(right).collect()
            } else {
                left.into_iter()
                    .filter(|fact| right.contains(fact))
                    .collect()
            }
        }
        _ => Vec::new(),
    }
}
