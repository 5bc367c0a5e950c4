//! Determines whether values that are sent or written have bounds, and whether an expression is certain to respect
//! them.

use crate::model::bounds::holds;
use crate::model::expr::Expr;
use crate::model::machine::Machine;
use crate::model::types::{Field, Type};

/// Returns whether values of these fields have a bound, either on the whole value or on a part of it.
pub(crate) fn bounded(machine: &Machine, fields: &[Field]) -> bool {
    fields
        .iter()
        .any(|field| field.bound().is_some() || field.nonblank || holds_bounds(machine, &field.ty))
}

/// Returns whether some part of a value of this type has a bound.
pub(crate) fn holds_bounds(machine: &Machine, ty: &Type) -> bool {
    let is_json = |item: &Type| matches!(item, Type::Json);
    holds(machine, ty, is_json, |field| {
        field.bound().is_some() || field.nonblank
    })
}

/// Returns whether values of these fields are `json` or contain `json`. If a step is replayed, the
/// default bound of such values depends on the version that recorded the step.
pub(crate) fn holds_json(machine: &Machine, fields: &[Field]) -> bool {
    let is_json = |ty: &Type| matches!(ty.required(), Type::Json);
    let inside = |ty: &Type| holds(machine, ty, is_json, |field| is_json(&field.ty));
    fields
        .iter()
        .any(|field| is_json(&field.ty) || inside(&field.ty))
}

/// Returns whether every possible value of an expression respects a field's bounds.
pub(crate) fn stays_in_bounds(machine: &Machine, value: &Expr, field: &Field) -> bool {
    !bounded(machine, std::slice::from_ref(field)) || field.is_bounded_by(machine, value)
}
