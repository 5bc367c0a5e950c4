//! Which expressions can fail to have a value.

use crate::model::FieldId;
use crate::model::expr::{BinaryOp, Expr, ExprKind};

/// Tells whether an expression can fail: a number that becomes too large, an optional that must be
/// set.
pub(crate) fn can_fail(expr: &Expr) -> bool {
    fails(expr, &[])
}

/// Tells whether an expression can fail if these fields of the data are certain to be set.
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

/// Tells whether an expression whose value is stored can fail: one that grows may become too large.
pub(crate) fn storing_fails(expr: &Expr, set: &[FieldId]) -> bool {
    fails(expr, set) || expr.can_grow()
}

/// Tells whether a condition of an alternative can fail: one that relies on an unset optional is
/// false.
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

/// Tells whether an expression reads something of the record.
pub(crate) fn reads_event(expr: &Expr, field: FieldId) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| found |= inner.kind == ExprKind::Event(field));
    found
}
