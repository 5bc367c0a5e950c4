//! Whether an event can be refused in a state that handles it. Where it cannot, the typed method
//! gives no `Result`.

use super::faults::{condition_fails, storing_fails};
use super::path::Path;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Is};
use crate::model::machine::{Change, ChangeKind, EventKind, Machine, Transition, Which};
use crate::model::types::{Field, Type, TypeDefKind};
use crate::model::{EventId, FieldId, StateId};

/// Whether an event can be refused in a leaf that handles it.
pub(crate) fn can_refuse(machine: &Machine, leaf: StateId, event: EventId) -> bool {
    let declared = machine.event(event);
    let reviewed = matches!(&declared.kind, EventKind::Command(command) if command.reviewed);
    let alternatives = machine.taken_for(leaf, event).unwrap_or_default();
    let transitions = || alternatives.iter().map(|id| machine.transition(*id));
    let last_resort = transitions().any(|transition| transition.when.is_none());
    let mut conditions = transitions().filter_map(|transition| transition.when.as_ref());
    reviewed
        || bounded(machine, &declared.input)
        || bounded(machine, &machine.context)
        || !last_resort
        || conditions.any(|when| condition_fails(&when.expr))
        || transitions().any(|transition| refuses(machine, leaf, transition))
}

/// Whether some bound stands on these fields, or inside them.
pub(crate) fn bounded(machine: &Machine, fields: &[Field]) -> bool {
    fields
        .iter()
        .any(|field| field.max.is_some() || field.nonblank || holds_bounds(machine, &field.ty))
}

/// Whether some bound stands inside a value of a type.
pub(crate) fn holds_bounds(machine: &Machine, ty: &Type) -> bool {
    let mut seen = vec![false; machine.types.len()];
    let mut open = vec![ty];
    while let Some(ty) = open.pop() {
        match ty {
            Type::List(inner) | Type::Optional(inner) => open.push(inner),
            Type::Record(id) if !std::mem::replace(&mut seen[id.index()], true) => {
                let TypeDefKind::Record(fields) = &machine.type_def(*id).kind else {
                    continue;
                };
                if fields
                    .iter()
                    .any(|field| field.max.is_some() || field.nonblank)
                {
                    return true;
                }
                open.extend(fields.iter().map(|field| &field.ty));
            }
            _ => {}
        }
    }
    false
}

fn refuses(machine: &Machine, leaf: StateId, transition: &Transition) -> bool {
    let path = Path::new(machine, leaf, transition);
    let set = path.before();
    let mut requirements = transition.require.iter();
    let mut changes = transition.changes.iter();
    requirements.any(|require| !is_known(&require.that.expr, set))
        || changes.any(|change| change_refuses(machine, change, set))
        || path.effects_fail()
        || path.reply_fails()
}

/// Whether a requirement holds because of what the state has.
fn is_known(condition: &Expr, has: &[FieldId]) -> bool {
    match &condition.kind {
        ExprKind::Is(inner, Is::Set, false) => match &inner.kind {
            ExprKind::Data(field) => has.contains(field),
            ExprKind::Proved(inner) => {
                matches!(inner.kind, ExprKind::Data(field) if has.contains(&field))
            }
            _ => false,
        },
        ExprKind::Binary(BinaryOp::And, left, right) => is_known(left, has) && is_known(right, has),
        _ => false,
    }
}

fn change_refuses(machine: &Machine, change: &Change, has: &[FieldId]) -> bool {
    let field = machine.field(change.field);
    match &change.kind {
        ChangeKind::Clear => false,
        ChangeKind::Set(value) => {
            storing_fails(value, has) || !stays_in_bounds(machine, value, field)
        }
        ChangeKind::Update {
            which: Which::Where(condition),
            set,
            ..
        } => {
            storing_fails(condition, has)
                || set.iter().any(|(_, value)| storing_fails(value, has))
                || holds_bounds(machine, &field.ty)
        }
        // Every list has a bound.
        ChangeKind::Update { .. }
        | ChangeKind::Remove(_)
        | ChangeKind::Insert(..)
        | ChangeKind::Append(_) => true,
    }
}

/// Whether every value that an expression can have keeps a field's bounds.
pub(crate) fn stays_in_bounds(machine: &Machine, value: &Expr, field: &Field) -> bool {
    if field.max.is_none() && !field.nonblank && !holds_bounds(machine, &field.ty) {
        return true;
    }
    match &value.kind {
        ExprKind::Data(source) => {
            let source = machine.field(*source);
            let shorter = field
                .max
                .is_none_or(|max| source.max.is_some_and(|own| own <= max));
            shorter && (source.nonblank || !field.nonblank)
        }
        ExprKind::Proved(inner) => stays_in_bounds(machine, inner, field),
        _ => false,
    }
}
