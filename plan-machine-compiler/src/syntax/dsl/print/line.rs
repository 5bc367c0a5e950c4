//! Parts of a spec on one line each, without docs. They differ exactly where the printed spec would.

use super::page::quoted;
use super::{declarations, expr, literal};
use crate::syntax::ast::{Condition, Emit, Expr, Literal, Name, Path, TypeExpr};

/// A value: an expression, a text, a record or a list.
#[must_use]
pub fn value(of: &Expr) -> String {
    expr::value(of).one_line()
}

/// A text in which braces represent expressions.
#[must_use]
pub fn template(of: &Expr) -> String {
    expr::template(of).one_line()
}

/// An expression.
#[must_use]
pub fn expression(of: &Expr) -> String {
    expr::expression(of)
}

/// A condition.
#[must_use]
pub fn condition(of: &Condition) -> String {
    expr::condition(of)
}

/// A literal.
#[must_use]
pub fn literal(of: &Literal) -> String {
    literal::literal(of).one_line()
}

/// A type.
#[must_use]
pub fn type_expr(of: &TypeExpr) -> String {
    declarations::type_expr(of)
}

/// A dotted path.
#[must_use]
pub fn path(of: &Path) -> String {
    super::path(of)
}

/// An effect with the values of its fields.
#[must_use]
pub fn emit(of: &Emit) -> String {
    let effect = &of.effect.node;
    if of.fields.is_empty() {
        effect.clone()
    } else {
        format!("{effect} {}", expr::record(&of.fields).one_line())
    }
}

/// A text in quotes.
#[must_use]
pub fn text(of: &Name) -> String {
    quoted(&of.node)
}
