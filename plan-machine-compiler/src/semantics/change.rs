//! Data changes: every expression reads the record as it was, and all of them apply or none.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;

use super::bounds;
use super::eval::{Fault, Scope};
use crate::model::machine::{Change, ChangeKind, Which};
use crate::model::value::Value;
use crate::model::{FieldId, Machine};

/// Why the changes cannot be made.
pub(super) type Refusal = (DenialKind, Vec<String>);

fn fault(fault: Fault) -> Refusal {
    match fault {
        Fault::Unset => (DenialKind::Refused, vec![messages::UNSET.to_owned()]),
        fault => too_large(fault),
    }
}

/// The denial of a step in which a number or a value grew too large.
pub(super) fn too_large(fault: Fault) -> Refusal {
    let message = match fault {
        Fault::TooLarge => messages::TOO_LARGE,
        Fault::TooMuchWork => messages::TOO_MUCH_WORK,
        Fault::Overflow | Fault::Unset => messages::OVERFLOW,
    };
    (DenialKind::LimitReached, vec![message.to_owned()])
}

/// The data after the changes, starting from `base`. A bad position beats a bound.
pub(super) fn changed(
    machine: &Machine,
    base: &[Value],
    changes: &[Change],
    scope: &Scope<'_>,
) -> Result<Vec<Value>, Refusal> {
    let mut data = base.to_vec();
    let scope = &Scope {
        stores: true,
        ..*scope
    };
    for change in changes {
        let old = std::mem::replace(&mut data[change.field.index()], Value::Unset);
        data[change.field.index()] = new_value(machine, change, old, scope)?;
    }
    let mut problems = Vec::new();
    for change in changes {
        let field = machine.field(change.field);
        let value = &data[change.field.index()];
        if change.kind.grows() && field.max.is_none() {
            bounds::check_items(value, &field.name, &mut problems);
        }
        bounds::check(machine, field, value, &field.name, &mut problems);
    }
    if problems.is_empty() {
        Ok(data)
    } else {
        Err((DenialKind::LimitReached, problems))
    }
}

fn new_value(
    machine: &Machine,
    change: &Change,
    old: Value,
    scope: &Scope<'_>,
) -> Result<Value, Refusal> {
    let field = machine.field(change.field);
    let items = |old: Value| match old {
        Value::List(items) => items,
        _ => Vec::new(),
    };
    match &change.kind {
        ChangeKind::Set(value) => scope.eval(value).map_err(fault),
        ChangeKind::Clear => Ok(field.start().unwrap_or(Value::Unset)),
        ChangeKind::Update { which, set, clear } => {
            update(items(old), which, set, clear, &field.name, scope)
        }
        ChangeKind::Remove(at) => {
            let mut items = items(old);
            let at = position(scope, at, items.len(), &field.name)?;
            items.remove(at);
            Ok(Value::List(items))
        }
        ChangeKind::Insert(at, value) => {
            let mut items = items(old);
            let at = position(scope, at, items.len() + 1, &field.name)?;
            items.insert(at, scope.eval(value).map_err(fault)?);
            Ok(Value::List(items))
        }
        ChangeKind::Append(value) => {
            let mut items = items(old);
            items.push(scope.eval(value).map_err(fault)?);
            Ok(Value::List(items))
        }
    }
}

/// A position below `end`, or a refusal that says so.
fn position(
    scope: &Scope<'_>,
    at: &crate::model::expr::Expr,
    end: usize,
    list: &str,
) -> Result<usize, Refusal> {
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
) -> Result<Value, Refusal> {
    let chosen = match which {
        Which::At(at) => vec![position(scope, at, items.len(), list)?],
        Which::Where(condition) => {
            let mut chosen = Vec::new();
            for (index, item) in items.iter().enumerate() {
                if looking_at(scope, item, index)
                    .holds(condition)
                    .map_err(fault)?
                {
                    chosen.push(index);
                }
            }
            chosen
        }
    };
    for index in chosen {
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
    Ok(Value::List(items))
}

fn looking_at<'a>(scope: &Scope<'a>, item: &'a Value, index: usize) -> Scope<'a> {
    Scope {
        item: Some((item, i64::try_from(index).unwrap_or(i64::MAX))),
        ..*scope
    }
}
