//! Lists the conditions in properties.

use crate::model::expr::Expr;
use crate::model::machine::Property;

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
        | Property::EmittedOnlyBy(..)
        | Property::NeverEmits(..) => Vec::new(),
    }
}
