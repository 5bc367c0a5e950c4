//! Bounds inside the types of fields, and bounds that a value already satisfies because of the field that the value
//! comes from.

use super::expr::{Expr, ExprKind};
use super::machine::Machine;
use super::types::{Field, Type, TypeDefKind};

impl Field {
    /// Returns whether the value of an expression comes from a field whose bounds are at least as tight as those of
    /// this field. Such a value is not checked again, so that a value stored before a bound was introduced does not
    /// prevent a plan from continuing.
    #[must_use]
    pub fn is_bounded_by(&self, machine: &Machine, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Data(source) => self.is_no_tighter(machine.field(*source)),
            ExprKind::Member(of, source) => match of.ty.required() {
                Type::Record(id) => {
                    let fields = machine.type_def(*id).fields();
                    self.is_no_tighter(&fields[source.index()])
                }
                _ => false,
            },
            ExprKind::Proved(inner) => self.is_bounded_by(machine, inner),
            _ => false,
        }
    }
}

/// Returns whether the spec explicitly states a bound for one of these fields or for a part of its value.
pub(crate) fn states_bounds(machine: &Machine, fields: &[Field]) -> bool {
    let stated = |field: &Field| field.max.is_some() || field.nonblank;
    let inside = |field: &Field| holds(machine, &field.ty, |_| false, stated);
    fields.iter().any(|field| stated(field) || inside(field))
}

/// Returns whether a type contains a list item or a record field that satisfies a predicate.
pub(crate) fn holds(
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
