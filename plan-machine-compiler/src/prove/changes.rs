//! Determines the possible results of a data change.

use super::abstraction::{self, Abs, Items, followed, items_of, of_value, possible_items};
use super::bounds::{Bound, bound};
use super::evaluate::{Scope, as_value};
use super::numbers::Range;
use super::truth::Truth;
use crate::model::FieldId;
use crate::model::expr::Expr;
use crate::model::machine::{Change, ChangeKind, Which};
use crate::model::types::{Field, Type};
use crate::model::value::Value;

/// Returns the values that a field may contain after a change; `None` if the change is impossible.
pub(super) fn cases(
    scope: &Scope<'_>,
    change: &Change,
    old: &Abs,
    length: Range,
) -> Option<Vec<Abs>> {
    let field = scope.machine.field(change.field);
    let item_type = match &field.ty {
        Type::List(item) => Some(&**item),
        _ => None,
    };
    Some(match (&change.kind, item_type) {
        (ChangeKind::Set(value), _) if scope.never_fits(value) => return None,
        (ChangeKind::Set(value), _) => told_apart(scope, field, set_value(scope, value)),
        (ChangeKind::Clear, _) => {
            let start = field.start().unwrap_or(Value::Unset);
            vec![of_value(scope.machine, &start, &field.ty)]
        }
        (ChangeKind::Append(value) | ChangeKind::Insert(_, value), Some(item)) => {
            if let ChangeKind::Insert(at, _) = &change.kind
                && !may_be_position(scope.range(at), length.moved(1, 1))
            {
                return None;
            }
            let added = items_of(scope.machine, item, &scope.value(value));
            vec![match old {
                Abs::Empty => Abs::Items(added),
                Abs::Items(items) => Abs::Items(items.union(&added)),
                _ => Abs::Items(items_of(scope.machine, item, &Abs::Something)),
            }]
        }
        (ChangeKind::Remove(at), _) => {
            match old {
                _ if !may_be_position(scope.range(at), length) => return None,
                // The only item was removed.
                Abs::Items(_) if length.most == 1 => vec![Abs::Empty],
                Abs::Items(items) => vec![Abs::Empty, Abs::Items(items.clone())],
                other => vec![other.clone()],
            }
        }
        (ChangeKind::Update { which, set, clear }, Some(item)) => match (which, old) {
            (Which::At(at), _) if !may_be_position(scope.range(at), length) => return None,
            (_, Abs::Items(items)) => vec![updated(scope, item, items, which, set, clear)],
            (_, other) => {
                look_at_any_item(scope, which, set);
                vec![other.clone()]
            }
        },
        _ => vec![Abs::Something],
    })
}

/// Returns whether a position may exist in a list with this number of positions.
fn may_be_position(at: Range, places: Range) -> bool {
    at.most >= 0 && at.least < places.most
}

/// Returns what is known about a value that is assigned to a field; earlier assumptions may decide conditions in the
/// value.
fn set_value(scope: &Scope<'_>, value: &Expr) -> Abs {
    match scope.value(value) {
        Abs::Something if value.ty == Type::Bool => as_value(scope.truth(value)),
        known => known,
    }
}

/// Splits a value about which too little is known into its possible cases.
fn told_apart(scope: &Scope<'_>, field: &Field, value: Abs) -> Vec<Abs> {
    let open = matches!(field.ty.required(), Type::Bool | Type::Enum(_) | Type::Text);
    match value {
        Abs::Anything if open => every_case(scope, field),
        Abs::Something if open => {
            let mut all = every_case(scope, field);
            all.retain(|case| *case != Abs::Unset);
            all
        }
        Abs::Anything if field.ty.is_optional() => vec![Abs::Unset, Abs::Something],
        known => vec![known],
    }
}

/// Returns every case of a field; a required field is never unset, whatever its default value is.
fn every_case(scope: &Scope<'_>, field: &Field) -> Vec<Abs> {
    let plain = Field {
        default: None,
        ..field.clone()
    };
    abstraction::cases(scope.machine, &plain, &[])
}

/// Returns a list after some of its items have changed.
fn updated(
    scope: &Scope<'_>,
    item: &Type,
    items: &Items,
    which: &Which,
    set: &[(FieldId, Expr)],
    clear: &[FieldId],
) -> Abs {
    let Some(possible) = possible_items(scope.machine, item, items) else {
        look_at_any_item(scope, which, set);
        return Abs::Items(items_of(scope.machine, item, &Abs::Something));
    };
    let mut after: Option<Items> = None;
    let mut add = |value: &Abs| {
        let one = items_of(scope.machine, item, value);
        after = Some(
            after
                .take()
                .map_or_else(|| one.clone(), |all| all.union(&one)),
        );
    };
    for value in &possible {
        let inside = Scope {
            item: Some(value),
            ..*scope
        };
        let chosen = match which {
            // Each possible item may be at the position or elsewhere in the list.
            Which::At(at) => {
                scope.value(at);
                Truth::Unknown
            }
            Which::Where(condition) => inside.truth(condition),
            // Another item for which the condition holds may come first.
            Which::First(condition) => inside.truth(condition).and(Truth::Unknown),
        };
        if chosen != Truth::Yes {
            add(value);
        }
        if chosen != Truth::No {
            add(&changed_item(&inside, value, set, clear));
        }
    }
    after.map_or_else(|| Abs::Items(items.clone()), Abs::Items)
}

/// Evaluates an update for an unknown item, only to find out which optionals the update relies on.
fn look_at_any_item(scope: &Scope<'_>, which: &Which, set: &[(FieldId, Expr)]) {
    let inside = Scope {
        item: Some(&Abs::Something),
        ..*scope
    };
    match which {
        Which::At(at) => {
            scope.value(at);
        }
        Which::Where(condition) | Which::First(condition) => {
            inside.truth(condition);
        }
    }
    for (_, value) in set {
        inside.value(value);
    }
}

pub(super) fn changed_item(
    scope: &Scope<'_>,
    value: &Abs,
    set: &[(FieldId, Expr)],
    clear: &[FieldId],
) -> Abs {
    let Abs::Record(fields) = value else {
        return Abs::Something;
    };
    let mut fields = fields.clone();
    for (field, value) in set {
        fields[field.index()] = scope.value(value);
    }
    for field in clear {
        fields[field.index()] = Abs::Unset;
    }
    Abs::Record(fields)
}

/// Checks the bounds of the fields that an update writes.
pub(super) fn update_bound(scope: &Scope<'_>, list: &Field, set: &[(FieldId, Expr)]) -> Bound {
    let Type::List(item) = &list.ty else {
        return Bound::Fine;
    };
    let Type::Record(id) = &**item else {
        return Bound::Fine;
    };
    let fields = scope.machine.type_def(*id).fields();
    let inside = Scope {
        item: Some(&Abs::Something),
        ..*scope
    };
    // An update may match no items, and then it cannot exceed a bound. Exceeding a bound is therefore never certain.
    let bounds = set
        .iter()
        .map(|(field, value)| bound(&inside, &fields[field.index()], value).min(Bound::Doubt));
    debug_assert!(followed(scope.machine, item).len() <= fields.len());
    bounds.max().unwrap_or(Bound::Fine)
}
