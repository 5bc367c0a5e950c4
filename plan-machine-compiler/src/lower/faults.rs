//! Which expressions can fail to have a value.

use crate::model::FieldId;
use crate::model::expr::{BinaryOp, Expr, ExprKind};

/// Whether an expression can fail: a number that grows too large, an optional that is relied upon.
pub(crate) fn can_fail(expr: &Expr) -> bool {
    fails(expr, &[])
}

/// Whether an expression can fail where these fields of the data are certainly set.
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

/// Whether an expression can fail whose value is stored: one that grows may become too large.
pub(crate) fn storing_fails(expr: &Expr, set: &[FieldId]) -> bool {
    fails(expr, set) || expr.can_grow()
}

/// Whether a condition of an alternative can fail: one that relies on an unset optional is false.
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

/// Whether an expression reads something of the record.
pub(crate) fn reads_event(expr: &Expr, field: FieldId) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| found |= inner.kind == ExprKind::Event(field));
    found
}
