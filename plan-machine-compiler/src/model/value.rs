//! Values that steps work on.

use std::sync::Arc;

use plan_machine_kernel::json::Json;
use plan_machine_kernel::stored;
use plan_machine_kernel::time::Instant;

/// A value; its meaning depends on the type expected there.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An optional without a value.
    Unset,
    /// `bool`.
    Bool(bool),
    /// `int`.
    Int(i64),
    /// `string`, and `id`.
    Text(Arc<str>),
    /// `time`.
    Time(Instant),
    /// An enum's value, by its place in the declaration.
    Enum(u32),
    /// `[T]`.
    List(Vec<Value>),
    /// A record's fields, in the order of their declaration.
    Record(Vec<Value>),
    /// `json`.
    Json(Arc<Json>),
}

impl Value {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Value::Text(text.into())
    }

    /// About how many bytes it takes.
    #[must_use]
    pub fn weight(&self) -> usize {
        let inside = match self {
            Value::Text(text) => text.len(),
            Value::List(values) | Value::Record(values) => values.iter().map(Value::weight).sum(),
            Value::Json(json) => stored::bytes_of(json),
            _ => 0,
        };
        32 + inside
    }

    /// Whether an optional holds a value.
    #[must_use]
    pub fn is_set(&self) -> bool {
        !matches!(self, Value::Unset)
    }
}
