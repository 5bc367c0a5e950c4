//! Bounds: the maximum lengths of strings, lists and `json` values, and which strings must not be blank.

use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::messages;
use plan_machine_kernel::stored;

use crate::model::machine::Machine;
use crate::model::types::{Field, Type};
use crate::model::value::Value;

/// The set of bounds that apply to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AppliedBounds {
    /// Only the bounds that the spec states. They apply to stored data, to effects, to replayed steps of earlier
    /// versions, and to the arguments of recorded calls, which are bounded by the field that they are written to.
    Stated,
    /// The bounds that the spec states, and the default bounds. They apply to new input and to writes.
    All,
}

impl AppliedBounds {
    /// Returns the bounds that apply to a step. If a step of an earlier version is replayed, the bounds of that version
    /// apply.
    pub(super) fn in_step(editions: Editions) -> Self {
        if editions.are_of_earlier_version() {
            Self::Stated
        } else {
            Self::All
        }
    }
}

/// Checks values against bounds and collects the problems.
pub(super) struct Check<'a> {
    pub(super) machine: &'a Machine,
    pub(super) counted: AppliedBounds,
    pub(super) problems: Vec<String>,
}

impl<'a> Check<'a> {
    pub(super) fn new(machine: &'a Machine, counted: AppliedBounds) -> Self {
        Self {
            machine,
            counted,
            problems: Vec::new(),
        }
    }

    /// Reports every bound that the value of a field violates. The reports call the value `name`.
    pub(super) fn field(&mut self, field: &Field, value: &Value, name: &str) {
        self.own(field, value, name);
        self.inside(field.ty.required(), value, name);
    }

    /// Reports the field's own bounds that its value violates, but not the bounds inside the value.
    pub(super) fn own(&mut self, field: &Field, value: &Value, name: &str) {
        match field.max {
            Some(max) => self.at_most(value, name, max),
            None => self.unstated(&field.ty, value, name),
        }
        if field.nonblank && matches!(value, Value::Text(text) if text.trim().is_empty()) {
            self.problems.push(messages::blank(name));
        }
    }

    /// Reports the bounds that an item of a list violates, including the bounds inside the item.
    pub(super) fn item(&mut self, ty: &Type, value: &Value, name: &str) {
        self.unstated(ty, value, name);
        self.inside(ty, value, name);
    }

    /// Reports a list that has grown beyond the maximum length of its field or, if the field has no
    /// maximum, beyond the maximum length of all lists.
    pub(super) fn grown(&mut self, field: &Field, value: &Value) {
        self.at_most(value, &field.name, field.max.unwrap_or(stored::MOST_ITEMS));
    }

    fn at_most(&mut self, value: &Value, name: &str, max: u64) {
        let (length, unit) = measure(value);
        if is_more(length, max) {
            self.problems
                .push(messages::too_much(name, length, unit, max));
        }
    }

    /// Reports a `json` value that exceeds the default bound, if default bounds apply.
    pub(super) fn unstated(&mut self, ty: &Type, value: &Value, name: &str) {
        if let (AppliedBounds::All, Type::Json, Value::Json(json)) =
            (self.counted, ty.required(), value)
        {
            let bytes = json.canonical_len();
            if is_more(bytes, stored::MOST_JSON) {
                let message = messages::too_long_json(name, bytes, stored::MOST_JSON);
                self.problems.push(message);
            }
        }
    }

    /// Reports the bounds that are violated inside a value.
    fn inside(&mut self, ty: &Type, value: &Value, name: &str) {
        match (ty, value) {
            (Type::List(item), Value::List(items)) => {
                for (index, value) in items.iter().enumerate() {
                    self.item(item, value, &format!("{name}[{index}]"));
                }
            }
            (Type::Record(id), Value::Record(values)) => {
                for (field, value) in self.machine.type_def(*id).fields().iter().zip(values) {
                    self.field(field, value, &format!("{name}.{}", field.name));
                }
            }
            _ => {}
        }
    }
}

/// Returns whether a payload respects every bound of its fields.
#[must_use]
pub fn fits(machine: &Machine, fields: &[Field], payload: &[Value]) -> bool {
    let mut check = Check::new(machine, AppliedBounds::All);
    for (field, value) in fields.iter().zip(payload) {
        check.field(field, value, &field.name);
    }
    check.problems.is_empty()
}

fn is_more(length: usize, max: u64) -> bool {
    u64::try_from(length).unwrap_or(u64::MAX) > max
}

fn measure(value: &Value) -> (usize, &'static str) {
    match value {
        Value::Text(text) => (text.chars().count(), "characters"),
        Value::List(items) => (items.len(), "items"),
        Value::Json(json) => (json.canonical_len(), "bytes"),
        _ => (0, ""),
    }
}
