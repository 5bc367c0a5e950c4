//! Determines whether values that are sent or written have bounds, and whether an expression is certain to respect
//! them.

use crate::model::expr::Expr;
use crate::model::machine::Machine;
use crate::model::types::{Field, Type, TypeDefKind};

/// Returns whether values of these fields have a bound, either on the whole value or on a part of it.
pub(crate) fn bounded(machine: &Machine, fields: &[Field]) -> bool {
    fields
        .iter()
        .any(|field| field.bound().is_some() || field.nonblank || holds_bounds(machine, &field.ty))
}

/// Returns whether the spec explicitly states a bound for one of these fields or for a part of its value.
pub(crate) fn states_bounds(machine: &Machine, fields: &[Field]) -> bool {
    let stated = |field: &Field| field.max.is_some() || field.nonblank;
    let inside = |field: &Field| holds(machine, &field.ty, |_| false, stated);
    fields.iter().any(|field| stated(field) || inside(field))
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

/// Returns whether a type contains a list item or a record field that satisfies a predicate.
fn holds(
    machine: &Machine,
    ty: &Type,
    item: impl Fn(&Type) -> bool,
    field: impl Fn(&Field) -> bool,
) -> bool {
    let mut seen = vec![false; machine.types.len()];
    let mut open = vec![ty];
    while let Some(ty) = open.pop() {
        match ty {
            Type::List(inner) if item(inner) => return true,
            Type::List(inner) | Type::Optional(inner) => open.push(inner),
            Type::Record(id) if !std::mem::replace(&mut seen[id.index()], true) => {
                let TypeDefKind::Record(fields) = &machine.type_def(*id).kind else {
                    continue;
                };
                if fields.iter().any(&field) {
                    return true;
                }
                open.extend(fields.iter().map(|field| &field.ty));
            }
            _ => {}
        }
    }
    false
}

/// Returns whether every possible value of an expression respects a field's bounds.
pub(crate) fn stays_in_bounds(machine: &Machine, value: &Expr, field: &Field) -> bool {
    !bounded(machine, std::slice::from_ref(field)) || field.is_bounded_by(machine, value)
}
