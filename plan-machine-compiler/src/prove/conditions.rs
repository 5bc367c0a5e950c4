//! Lists the expressions in properties and changes.

use crate::model::FieldId;
use crate::model::expr::Expr;
use crate::model::machine::{ChangeKind, Property, Which};

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

/// Returns the expressions of a change.
pub(super) fn values_of(change: &ChangeKind) -> Vec<&Expr> {
    match change {
        ChangeKind::Set(value) | ChangeKind::Append(value) => vec![value],
        ChangeKind::Clear => Vec::new(),
        ChangeKind::Remove(at) => vec![at],
        ChangeKind::Insert(at, value) => vec![at, value],
        ChangeKind::Update { which, set, .. } => {
            let (Which::At(first) | Which::Where(first) | Which::First(first)) = which;
            let values = set.iter().map(|(_, value): &(FieldId, Expr)| value);
            std::iter::once(first).chain(values).collect()
        }
    }
}
