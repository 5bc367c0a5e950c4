//! Data changes: every expression reads the record as it was before the step, and either all changes apply or none do.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;

use super::bounds::{AppliedBounds, Check};
use super::eval::{Fault, Scope};
use crate::model::machine::{Change, ChangeKind, Which};
use crate::model::types::Field;
use crate::model::value::Value;
use crate::model::{FieldId, Machine};

/// The reason why changes are denied.
pub(super) type DenialReason = (DenialKind, Vec<String>);

fn fault(fault: Fault) -> DenialReason {
    match fault {
        Fault::Unset => (DenialKind::Refused, vec![messages::UNSET.to_owned()]),
        fault => too_large(fault),
    }
}

/// Returns the denial of a step in which a number overflowed, a value became too large or too deep, or too much was
/// built.
pub(super) fn too_large(fault: Fault) -> DenialReason {
    let message = match fault {
        Fault::TooLarge => messages::TOO_LARGE,
        Fault::TooDeep => messages::TOO_DEEP,
        Fault::TooMuchWork => messages::TOO_MUCH_WORK,
        Fault::Overflow | Fault::Unset => messages::OVERFLOW,
    };
    (DenialKind::LimitReached, vec![message.to_owned()])
}

/// Returns the data after the changes, starting from `base`. An invalid position is reported before a violated bound.
pub(super) fn changed(
    machine: &Machine,
    base: &[Value],
    changes: &[Change],
    scope: &Scope<'_>,
    counted: AppliedBounds,
) -> Result<Vec<Value>, DenialReason> {
    let mut data = base.to_vec();
    let scope = &Scope {
        stores: true,
        ..*scope
    };
    let mut written = Vec::with_capacity(changes.len());
    for change in changes {
        let old = std::mem::replace(&mut data[change.field.index()], Value::Unset);
        let (new, places) = new_value(machine, change, old, scope)?;
        data[change.field.index()] = new;
        written.push(places);
    }
    let mut check = Check::new(machine, counted);
    for (change, places) in changes.iter().zip(&written) {
        let value = &data[change.field.index()];
        check_written(&mut check, change, value, places);
    }
    if check.problems.is_empty() {
        Ok(data)
    } else {
        Err((DenialKind::LimitReached, check.problems))
    }
}

/// Checks only the values that a change has written. A value that was stored before the spec declared a bound therefore
/// does not prevent a plan from continuing. `places` contains the positions of the list items that were written.
fn check_written(check: &mut Check<'_>, change: &Change, value: &Value, places: &[usize]) {
    let field = check.machine.field(change.field);
    match (&change.kind, value) {
        (ChangeKind::Set(expr), value) if !field.is_bounded_by(check.machine, expr) => {
            check.field(field, value, &field.name);
        }
        (ChangeKind::Append(_) | ChangeKind::Insert(..), Value::List(items)) => {
            check.grown(field, value);
            for (name, item) in named(field, items, places) {
                check.item(field.item_type(), item, &name);
            }
        }
        (ChangeKind::Update { set, .. }, Value::List(items)) => {
            let fields = check.machine.item_fields(field);
            let written = set
                .iter()
                .filter(|(part, value)| !fields[part.index()].is_bounded_by(check.machine, value));
            let mut parts: Vec<FieldId> = written.map(|(part, _)| *part).collect();
            parts.sort();
            for (name, item) in named(field, items, places) {
                check_parts(check, fields, item, &parts, &name);
            }
        }
        _ => {}
    }
}

/// Checks the written fields of an item.
fn check_parts(
    check: &mut Check<'_>,
    fields: &[Field],
    item: &Value,
    parts: &[FieldId],
    name: &str,
) {
    let Value::Record(values) = item else {
        return;
    };
    for part in parts {
        let field = &fields[part.index()];
        let name = format!("{name}.{}", field.name);
        check.field(field, &values[part.index()], &name);
    }
}

/// Returns the items at these positions, each with its name.
fn named<'v>(
    field: &Field,
    items: &'v [Value],
    places: &[usize],
) -> impl Iterator<Item = (String, &'v Value)> {
    let items = places.iter().filter_map(|at| Some((*at, items.get(*at)?)));
    items.map(|(at, item)| (format!("{}[{at}]", field.name), item))
}

/// The new value of a field, and the positions of the items that the change has written.
type WrittenValue = (Value, Vec<usize>);

fn new_value(
    machine: &Machine,
    change: &Change,
    old: Value,
    scope: &Scope<'_>,
) -> Result<WrittenValue, DenialReason> {
    let field = machine.field(change.field);
    let items = |old: Value| match old {
        Value::List(items) => items,
        _ => Vec::new(),
    };
    match &change.kind {
        ChangeKind::Set(value) => Ok((scope.eval(value).map_err(fault)?, Vec::new())),
        ChangeKind::Clear => Ok((field.start().unwrap_or(Value::Unset), Vec::new())),
        ChangeKind::Update { which, set, clear } => {
            update(items(old), which, set, clear, &field.name, scope)
        }
        ChangeKind::Remove(at) => {
            let mut items = items(old);
            let at = position(scope, at, items.len(), &field.name)?;
            items.remove(at);
            Ok((Value::List(items), Vec::new()))
        }
        ChangeKind::Insert(at, value) => {
            let mut items = items(old);
            let at = position(scope, at, items.len() + 1, &field.name)?;
            items.insert(at, scope.eval(value).map_err(fault)?);
            Ok((Value::List(items), vec![at]))
        }
        ChangeKind::Append(value) => {
            let mut items = items(old);
            let at = items.len();
            items.push(scope.eval(value).map_err(fault)?);
            Ok((Value::List(items), vec![at]))
        }
    }
}

/// Checks that a position is less than `end`; otherwise, returns a denial.
fn position(
    scope: &Scope<'_>,
    at: &crate::model::expr::Expr,
    end: usize,
    list: &str,
) -> Result<usize, DenialReason> {
    let Value::Int(number) = scope.eval(at).map_err(fault)? else {
        return Err(fault(Fault::Unset));
    };
    match usize::try_from(number) {
        Ok(at) if at < end => Ok(at),
        _ => Err((
            DenialKind::Refused,
            vec![messages::no_position(number, list, end)],
        )),
    }
}

fn update(
    mut items: Vec<Value>,
    which: &Which,
    set: &[(FieldId, crate::model::expr::Expr)],
    clear: &[FieldId],
    list: &str,
    scope: &Scope<'_>,
) -> Result<WrittenValue, DenialReason> {
    let chosen = match which {
        Which::At(at) => vec![position(scope, at, items.len(), list)?],
        Which::Where(condition) | Which::First(condition) => {
            let mut chosen = Vec::new();
            for (index, item) in items.iter().enumerate() {
                if looking_at(scope, item, index)
                    .holds(condition)
                    .map_err(fault)?
                {
                    chosen.push(index);
                    if matches!(which, Which::First(_)) {
                        break;
                    }
                }
            }
            chosen
        }
    };
    for index in chosen.iter().copied() {
        let old = items[index].clone();
        let inside = looking_at(scope, &old, index);
        let Value::Record(fields) = &mut items[index] else {
            continue;
        };
        for (field, value) in set {
            fields[field.index()] = inside.eval(value).map_err(fault)?;
        }
        for field in clear {
            fields[field.index()] = Value::Unset;
        }
    }
    Ok((Value::List(items), chosen))
}

fn looking_at<'a>(scope: &Scope<'a>, item: &'a Value, index: usize) -> Scope<'a> {
    Scope {
        item: Some((item, i64::try_from(index).unwrap_or(i64::MAX))),
        ..*scope
    }
}
