//! Determines which expressions can fail to produce a value.

use crate::model::FieldId;
use crate::model::expr::{BinaryOp, Expr, ExprKind};

/// Returns whether an expression can fail, because a number may overflow or because an optional that must be set may be
/// unset.
pub(crate) fn can_fail(expr: &Expr) -> bool {
    fails(expr, &[])
}

/// Returns whether an expression can fail if these fields of the data are certain to be set.
pub(crate) fn fails(expr: &Expr, set: &[FieldId]) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| {
        found |= match &inner.kind {
            ExprKind::Proved(optional) => match optional.kind {
                ExprKind::Data(field) => !set.contains(&field),
                _ => true,
            },
            _ => is_arithmetic(inner),
        };
    });
    found
}

/// Returns whether an expression whose value is stored can fail: besides the other failures, a growing value may become
/// too large.
pub(crate) fn storing_fails(expr: &Expr, set: &[FieldId]) -> bool {
    fails(expr, set) || expr.can_grow()
}

/// Returns whether the condition of an alternative can fail. A condition that relies on an unset optional does not
/// fail: it is false.
pub(crate) fn condition_fails(condition: &Expr) -> bool {
    let mut found = false;
    condition.walk(&mut |inner| found |= is_arithmetic(inner));
    found
}

fn is_arithmetic(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, ..)
    )
}

/// Returns whether an expression reads this field of the event.
pub(crate) fn reads_event(expr: &Expr, field: FieldId) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| found |= inner.kind == ExprKind::Event(field));
    found
}
