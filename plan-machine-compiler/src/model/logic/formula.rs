//! Formulas over variables that have several values, and the worlds in which the formulas hold.

use crate::model::expr::{Expr, ExprKind};
use crate::model::types::Type;
use crate::model::value::Value;

/// The maximum number of worlds; if there are more worlds, nothing is decided.
const MOST_WORLDS: usize = 1 << 12;

/// A condition over numbered variables.
#[derive(Debug, PartialEq)]
pub(super) enum Formula {
    Constant(bool),
    /// The variable with the first index has the value with the second index.
    Is(usize, usize),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
}

/// An expression that conditions test.
pub(super) struct Variable {
    /// The expression itself.
    pub(super) expr: Expr,
    /// The values that are distinguished: all values of a boolean or an enum, and otherwise those that the expression
    /// is compared with.
    pub(super) values: Vec<Value>,
    /// Whether the expression may also have other values.
    pub(super) open: bool,
}

/// One combination of values: for each variable, the index of its value.
pub(super) type World = Vec<usize>;

/// Returns all combinations of the variables' values; `None` if there are too many.
pub(super) fn worlds(variables: &[Variable]) -> Option<Vec<World>> {
    let mut worlds = vec![World::new()];
    for variable in variables {
        let values = variable.values.len() + usize::from(variable.open);
        if worlds.len().saturating_mul(values) > MOST_WORLDS {
            return None;
        }
        worlds = worlds
            .iter()
            .flat_map(|world| (0..values).map(move |value| [&world[..], &[value]].concat()))
            .collect();
    }
    Some(worlds)
}

impl Formula {
    /// Returns whether the formula holds in a world.
    pub(super) fn holds(&self, world: &World) -> bool {
        match self {
            Formula::Constant(truth) => *truth,
            Formula::Is(variable, value) => world[*variable] == *value,
            Formula::Not(inner) => !inner.holds(world),
            Formula::And(left, right) => left.holds(world) && right.holds(world),
            Formula::Or(left, right) => left.holds(world) || right.holds(world),
        }
    }

    /// Returns the formula, negated if requested.
    pub(super) fn unless(self, negated: bool) -> Self {
        if negated {
            Formula::Not(Box::new(self))
        } else {
            self
        }
    }
}

/// Returns the expression without types and without the markers for proved optionals, which depend on the location;
/// `None` if a part of the expression could not be resolved.
pub(super) fn plain(expr: &Expr) -> Option<Expr> {
    let boxed = |inner: &Expr| plain(inner).map(Box::new);
    let kind = match &expr.kind {
        ExprKind::Error => return None,
        ExprKind::Proved(inner) => return plain(inner),
        ExprKind::Member(base, field) => ExprKind::Member(boxed(base)?, *field),
        ExprKind::At(list, index) => ExprKind::At(boxed(list)?, boxed(index)?),
        ExprKind::Call(helper, arguments) => ExprKind::Call(*helper, all(arguments)?),
        ExprKind::Not(inner) => ExprKind::Not(boxed(inner)?),
        ExprKind::Binary(op, left, right) => ExprKind::Binary(*op, boxed(left)?, boxed(right)?),
        ExprKind::Is(inner, asked, negated) => ExprKind::Is(boxed(inner)?, *asked, *negated),
        ExprKind::In(one, items) => ExprKind::In(boxed(one)?, all(items)?),
        ExprKind::Quantified(quantifier, list, condition) => {
            ExprKind::Quantified(*quantifier, boxed(list)?, boxed(condition)?)
        }
        ExprKind::List(items) => ExprKind::List(all(items)?),
        other => other.clone(),
    };
    Some(Expr::new(kind, Type::Unknown, expr.span))
}

fn all(exprs: &[Expr]) -> Option<Vec<Expr>> {
    exprs.iter().map(plain).collect()
}
