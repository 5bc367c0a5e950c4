//! Prints parts of a spec on one line each, without docs. Two parts have different lines if and
//! only if the DSL printer prints them differently.

use super::page::{self, quoted};
use super::{declarations, expr, literal};
use crate::syntax::ast::{Condition, Emit, Expr, Literal, Name, Path, TypeExpr};

/// Prints a value: an expression, a string, a record or a list.
#[must_use]
pub fn value(of: &Expr) -> String {
    expr::value(of).one_line()
}

/// Prints a string in which braces contain expressions.
#[must_use]
pub fn template(of: &Expr) -> String {
    expr::template(of).one_line()
}

/// Prints an expression.
#[must_use]
pub fn expression(of: &Expr) -> String {
    expr::expression(of)
}

/// Prints a condition.
#[must_use]
pub fn condition(of: &Condition) -> String {
    expr::condition(of)
}

/// Prints a literal.
#[must_use]
pub fn literal(of: &Literal) -> String {
    literal::literal(of).one_line()
}

/// Prints a type.
#[must_use]
pub fn type_expr(of: &TypeExpr) -> String {
    declarations::type_expr(of)
}

/// Prints a dotted path.
#[must_use]
pub fn path(of: &Path) -> String {
    page::path(of)
}

/// Prints an effect with the values of its fields.
#[must_use]
pub fn emit(of: &Emit) -> String {
    let effect = &of.effect.node;
    if of.fields.is_empty() {
        effect.clone()
    } else {
        format!("{effect} {}", expr::record(&of.fields).one_line())
    }
}

/// Prints a quoted string.
#[must_use]
pub fn text(of: &Name) -> String {
    quoted(&of.node)
}
