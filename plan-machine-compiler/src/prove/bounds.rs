//! Determines whether a value stays within its bounds; the prover treats this question like any other condition.

use super::abstraction::Abs;
use super::evaluate::Scope;
use super::numbers::Range;
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::machine::{ChangeKind, Machine};
use crate::model::types::{Field, Type};

/// What is known about a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bound {
    /// The bound is satisfied.
    Fine,
    /// The sender of the event can satisfy the bound by choosing the payload.
    Chosen,
    /// The bound may be violated.
    Doubt,
    /// The bound is violated.
    Broken,
}

/// Checks the bounds of a value that is written to a field.
pub(super) fn bound(scope: &Scope<'_>, field: &Field, value: &Expr) -> Bound {
    let blank = match scope.value(value) {
        _ if !field.nonblank => Bound::Fine,
        Abs::Text { blank: true } => Bound::Broken,
        Abs::Text { blank: false } | Abs::Unset => Bound::Fine,
        _ => Bound::Doubt,
    };
    let long = match field.max {
        None if copies_more(scope.machine, field, value) => Bound::Doubt,
        None => Bound::Fine,
        Some(_) => length(scope, field, value),
    };
    blank.max(long).max(inside(scope, value))
}

/// Returns whether a value that is written to a field may contain a `json` value that is too long, because that `json`
/// value comes from a field with a larger bound.
pub(super) fn copies_more(machine: &Machine, field: &Field, value: &Expr) -> bool {
    match &value.kind {
        // PM0406 reports literals that exceed a bound, and the sender can choose a short payload.
        ExprKind::Value(_) | ExprKind::Event(_) => false,
        ExprKind::Proved(inner) => copies_more(machine, field, inner),
        ExprKind::Binary(BinaryOp::Coalesce, left, right) => {
            copies_more(machine, field, left) || copies_more(machine, field, right)
        }
        ExprKind::Record(values) => match value.ty.required() {
            Type::Record(id) => {
                let mut parts = machine.type_def(*id).fields().iter().zip(values);
                parts.any(|(part, value)| {
                    let mut value = value.iter();
                    value.any(|value| copies_more(machine, part, value))
                })
            }
            _ => false,
        },
        ExprKind::List(items) => items.iter().any(|item| copies_more(machine, field, item)),
        ExprKind::ToJson(inner) => may_be_long(inner),
        _ if !matches!(value.ty.required(), Type::Json) => false,
        // The items of a list have the default bound.
        ExprKind::At(..) | ExprKind::Item => field.max.is_some(),
        _ => !(matches!(field.ty.required(), Type::Json) && field.is_bounded_by(machine, value)),
    }
}

/// Returns whether a value that is converted to JSON may be too long because of data that the sender of the event does
/// not choose.
fn may_be_long(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Value(_) | ExprKind::Event(_) => false,
        ExprKind::ToJson(inner) | ExprKind::Proved(inner) => may_be_long(inner),
        ExprKind::List(items) => items.iter().any(may_be_long),
        ExprKind::Record(values) => values.iter().flatten().any(may_be_long),
        _ => !matches!(
            value.ty.required(),
            Type::Bool | Type::Int | Type::Enum(_) | Type::Time
        ),
    }
}

/// Checks the length of a value that is written to a field with a maximum length.
fn length(scope: &Scope<'_>, field: &Field, value: &Expr) -> Bound {
    let fine = |short: bool| if short { Bound::Fine } else { Bound::Doubt };
    match &value.kind {
        ExprKind::Value(_) => Bound::Fine,
        ExprKind::Event(_) => Bound::Chosen,
        ExprKind::Proved(inner) => length(scope, field, inner),
        ExprKind::Data(other) => {
            let other = scope.machine.field(*other);
            fine(other.max.is_some_and(|max| Some(max) <= field.max))
        }
        ExprKind::Binary(BinaryOp::Coalesce, left, right) => {
            length(scope, field, left).max(length(scope, field, right))
        }
        ExprKind::List(items) => {
            fine(u64::try_from(items.len()).is_ok_and(|length| Some(length) <= field.max))
        }
        _ => Bound::Doubt,
    }
}

/// Checks the bounds of the fields of all records that a value contains.
fn inside(scope: &Scope<'_>, value: &Expr) -> Bound {
    match (&value.kind, value.ty.required()) {
        (ExprKind::Record(fields), Type::Record(id)) => {
            let declared = scope.machine.type_def(*id).fields();
            let bounds = declared.iter().zip(fields).map(|(field, value)| {
                value
                    .as_ref()
                    .map_or(Bound::Fine, |value| bound(scope, field, value))
            });
            bounds.max().unwrap_or(Bound::Fine)
        }
        (ExprKind::List(items), _) => {
            let bounds = items.iter().map(|item| inside(scope, item));
            bounds.max().unwrap_or(Bound::Fine)
        }
        (ExprKind::Proved(inner), _) => inside(scope, inner),
        (ExprKind::Binary(BinaryOp::Coalesce, left, right), _) => {
            inside(scope, left).max(inside(scope, right))
        }
        _ => Bound::Fine,
    }
}

/// Returns those values in a change whose length the sender can choose, each with the field that bounds the value.
pub(super) fn chosen(scope: &Scope<'_>, list: &Field, change: &ChangeKind) -> Vec<(Expr, Field)> {
    let mut all = Vec::new();
    match change {
        ChangeKind::Set(value) => chosen_in(scope, list, value, &mut all),
        ChangeKind::Append(value) | ChangeKind::Insert(_, value) => {
            chosen_inside(scope, value, &mut all);
        }
        ChangeKind::Update { set, .. } => {
            let fields = scope.machine.item_fields(list);
            for (field, value) in set {
                chosen_in(scope, &fields[field.index()], value, &mut all);
            }
        }
        ChangeKind::Clear | ChangeKind::Remove(_) => {}
    }
    all
}

fn chosen_in(scope: &Scope<'_>, field: &Field, value: &Expr, all: &mut Vec<(Expr, Field)>) {
    if field.max.is_some() && length(scope, field, value) == Bound::Chosen {
        all.push((value.clone(), field.clone()));
    }
    chosen_inside(scope, value, all);
}

fn chosen_inside(scope: &Scope<'_>, value: &Expr, all: &mut Vec<(Expr, Field)>) {
    match (&value.kind, value.ty.required()) {
        (ExprKind::Record(fields), Type::Record(id)) => {
            let declared = scope.machine.type_def(*id).fields();
            for (field, value) in declared.iter().zip(fields) {
                if let Some(value) = value {
                    chosen_in(scope, field, value, all);
                }
            }
        }
        (ExprKind::List(items), _) => {
            for item in items {
                chosen_inside(scope, item, all);
            }
        }
        _ => {}
    }
}

/// Checks the bounds of a list when one more item is added.
pub(super) fn list_bound(
    scope: &Scope<'_>,
    field: &Field,
    length: Range,
    item: Option<&Expr>,
) -> Bound {
    let most = Range::up_to(0, field.max).most;
    let room = match field.max {
        None => Bound::Fine,
        Some(_) if length.most < most => Bound::Fine,
        // A list that is full cannot take another item.
        Some(_) if length.least >= most => Bound::Broken,
        Some(_) => Bound::Doubt,
    };
    room.max(item.map_or(Bound::Fine, |item| inside(scope, item)))
}
