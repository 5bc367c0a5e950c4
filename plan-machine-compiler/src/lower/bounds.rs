//! Whether values that are sent or written have bounds, and whether one is known to keep them.

use crate::model::expr::Expr;
use crate::model::machine::Machine;
use crate::model::types::{Field, Type, TypeDefKind};

/// Tells whether input for these fields, or what is written to them, has some bound on it or inside
/// it.
pub(crate) fn bounded(machine: &Machine, fields: &[Field]) -> bool {
    fields
        .iter()
        .any(|field| field.bound().is_some() || field.nonblank || holds_bounds(machine, &field.ty))
}

/// Tells whether the spec states some bound of these fields, or of what is inside them.
pub(crate) fn states_bounds(machine: &Machine, fields: &[Field]) -> bool {
    let stated = |field: &Field| field.max.is_some() || field.nonblank;
    let inside = |field: &Field| holds(machine, &field.ty, |_| false, stated);
    fields.iter().any(|field| stated(field) || inside(field))
}

/// Tells whether a value of a type that is sent or written contains some bound.
pub(crate) fn holds_bounds(machine: &Machine, ty: &Type) -> bool {
    let is_json = |item: &Type| matches!(item, Type::Json);
    holds(machine, ty, is_json, |field| {
        field.bound().is_some() || field.nonblank
    })
}

/// Tells whether a type contains an item of a list, or a field of a record, of this kind.
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

/// Tells whether every possible value of an expression keeps a field's bounds.
pub(crate) fn stays_in_bounds(machine: &Machine, value: &Expr, field: &Field) -> bool {
    !bounded(machine, std::slice::from_ref(field)) || field.is_bounded_by(machine, value)
}
