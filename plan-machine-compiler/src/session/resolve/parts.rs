//! Finds and removes the names of machines in an expression.

use crate::source::Spanned;
use crate::syntax::ast::{Expr, ExprKind, Part};

/// Returns the expressions directly inside an expression.
pub(super) fn children(expr: &Expr) -> Vec<&Expr> {
    match &expr.node {
        ExprKind::Member(one, _) | ExprKind::Not(one) | ExprKind::Is(one, ..) => vec![one],
        ExprKind::Index(one, other)
        | ExprKind::Binary(_, one, other)
        | ExprKind::Quantified(_, one, other)
        | ExprKind::Filtered(one, other) => vec![one, other],
        ExprKind::Call(_, all) | ExprKind::List(all) => all.iter().collect(),
        ExprKind::In(one, all) => {
            let one: &Expr = one;
            std::iter::once(one).chain(all).collect()
        }
        ExprKind::Template(parts) => {
            let parts = parts.iter().filter_map(|part| match part {
                Part::Expr(expr) => Some(expr),
                Part::Literal(_) => None,
            });
            parts.collect()
        }
        ExprKind::Record(fields) => fields.iter().map(|(_, value)| value).collect(),
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Text(_)
        | ExprKind::Name(_)
        | ExprKind::Gate(..) => Vec::new(),
    }
}

/// Returns an expression without the name of its machine: `work.planning` becomes `planning`.
pub(super) fn without_machine(expr: &Expr, machine: &str) -> Expr {
    let inner = |expr: &Expr| Box::new(without_machine(expr, machine));
    let all = |list: &[Expr]| {
        let list = list.iter().map(|expr| without_machine(expr, machine));
        list.collect::<Vec<Expr>>()
    };
    let kind = match &expr.node {
        ExprKind::Member(base, member) => {
            if matches!(&base.node, ExprKind::Name(name) if name == machine) {
                ExprKind::Name(member.node.clone())
            } else {
                ExprKind::Member(inner(base), member.clone())
            }
        }
        ExprKind::Not(one) => ExprKind::Not(inner(one)),
        ExprKind::Is(one, is, negated) => ExprKind::Is(inner(one), *is, *negated),
        ExprKind::Index(one, other) => ExprKind::Index(inner(one), inner(other)),
        ExprKind::Binary(op, one, other) => ExprKind::Binary(*op, inner(one), inner(other)),
        ExprKind::Quantified(kind, one, other) => {
            ExprKind::Quantified(*kind, inner(one), inner(other))
        }
        ExprKind::Filtered(one, other) => ExprKind::Filtered(inner(one), inner(other)),
        ExprKind::Call(name, list) => ExprKind::Call(name.clone(), all(list)),
        ExprKind::List(list) => ExprKind::List(all(list)),
        ExprKind::In(one, list) => ExprKind::In(inner(one), all(list)),
        ExprKind::Template(parts) => {
            let parts = parts.iter().map(|part| match part {
                Part::Expr(expr) => Part::Expr(without_machine(expr, machine)),
                Part::Literal(text) => Part::Literal(text.clone()),
            });
            ExprKind::Template(parts.collect())
        }
        ExprKind::Record(fields) => {
            let fields = fields.iter();
            let fields =
                fields.map(|(name, value)| (name.clone(), without_machine(value, machine)));
            ExprKind::Record(fields.collect())
        }
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Text(_)
        | ExprKind::Name(_)
        | ExprKind::Gate(..) => expr.node.clone(),
    };
    Spanned::new(kind, expr.span)
}
