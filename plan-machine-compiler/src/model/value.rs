//! The values that steps operate on.

use std::sync::Arc;

use plan_machine_kernel::json::Json;
use plan_machine_kernel::stored;
use plan_machine_kernel::time::Instant;

/// A value; its interpretation depends on the expected type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An optional without a value.
    Unset,
    /// `bool`.
    Bool(bool),
    /// `int`.
    Int(i64),
    /// `string` or `id`.
    Text(Arc<str>),
    /// `time`.
    Time(Instant),
    /// An enum value, by its index in the declaration.
    Enum(u32),
    /// `[T]`.
    List(Vec<Value>),
    /// The values of a record's fields, in the order of their declaration.
    Record(Vec<Value>),
    /// `json`.
    Json(Arc<Json>),
}

impl Value {
    /// Returns a string value.
    #[must_use]
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Value::Text(text.into())
    }

    /// Returns the approximate size of the value in bytes.
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

    /// Returns whether the value is anything other than unset.
    #[must_use]
    pub fn is_set(&self) -> bool {
        !matches!(self, Value::Unset)
    }
}
