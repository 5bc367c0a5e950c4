//! Lists the conditions in properties and transitions.

use crate::model::expr::Expr;
use crate::model::machine::{Property, Transition};

/// Returns the conditions of an invariant.
pub(super) fn conditions_of(property: &Property) -> Vec<&Expr> {
    match property {
        Property::Always(expr)
        | Property::Never(expr)
        | Property::CanReach(expr, _)
        | Property::OnlyBy(expr, _)
        | Property::OnlyIn(_, expr)
        | Property::ChangesOnlyIn(_, expr)
        | Property::After(_, expr)
        | Property::EmittedOnlyIn(_, expr) => vec![expr],
        Property::ChangesOnlyBy(..)
        | Property::NeverChanges(_)
        | Property::OnlyGrows(_)
        | Property::EmittedOnlyBy(..)
        | Property::NeverEmits(..) => Vec::new(),
    }
}

/// Returns the expressions that determine whether a transition is taken and what it writes.
pub(super) fn conditions(transition: &Transition) -> Vec<&Expr> {
    let mut all: Vec<&Expr> = transition.when.iter().map(|when| &when.expr).collect();
    all.extend(transition.require.iter().map(|require| &require.that.expr));
    for change in &transition.changes {
        all.extend(change.kind.expressions());
    }
    all
}
