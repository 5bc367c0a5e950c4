//! Bounds: how long texts and lists may be, and which texts may not be blank.

use plan_machine_kernel::messages;
use plan_machine_kernel::stored;

use crate::model::machine::Machine;
use crate::model::types::{Field, Type};
use crate::model::value::Value;

/// Reports every bound that a field's value breaks; `name` is how the value is called.
pub(super) fn check(
    machine: &Machine,
    field: &Field,
    value: &Value,
    name: &str,
    problems: &mut Vec<String>,
) {
    if let Some(max) = field.max {
        let (length, unit) = measure(value);
        if u64::try_from(length).unwrap_or(u64::MAX) > max {
            problems.push(messages::too_much(name, length, unit, max));
        }
    }
    if field.nonblank && matches!(value, Value::Text(text) if text.trim().is_empty()) {
        problems.push(messages::blank(name));
    }
    inside(machine, field.ty.required(), value, name, problems);
}

/// Reports a list that grew beyond what any list may.
pub(super) fn check_items(value: &Value, name: &str, problems: &mut Vec<String>) {
    let (length, unit) = measure(value);
    if u64::try_from(length).unwrap_or(u64::MAX) > stored::MOST_ITEMS {
        problems.push(messages::too_much(name, length, unit, stored::MOST_ITEMS));
    }
}

/// Whether a payload keeps every bound of its fields.
#[must_use]
pub fn fits(machine: &Machine, fields: &[Field], payload: &[Value]) -> bool {
    let mut problems = Vec::new();
    for (field, value) in fields.iter().zip(payload) {
        check(machine, field, value, &field.name, &mut problems);
    }
    problems.is_empty()
}

/// Looks at the records inside a value.
fn inside(machine: &Machine, ty: &Type, value: &Value, name: &str, problems: &mut Vec<String>) {
    match (ty, value) {
        (Type::List(item), Value::List(items)) => {
            for (index, value) in items.iter().enumerate() {
                inside(machine, item, value, &format!("{name}[{index}]"), problems);
            }
        }
        (Type::Record(id), Value::Record(values)) => {
            for (field, value) in machine.type_def(*id).fields().iter().zip(values) {
                check(
                    machine,
                    field,
                    value,
                    &format!("{name}.{}", field.name),
                    problems,
                );
            }
        }
        _ => {}
    }
}

fn measure(value: &Value) -> (usize, &'static str) {
    match value {
        Value::Text(text) => (text.chars().count(), "characters"),
        Value::List(items) => (items.len(), "items"),
        Value::Json(json) => (json.canonical().len(), "bytes"),
        _ => (0, ""),
    }
}
