//! Serialization of values to any serde format, by first converting the values to JSON. Generated types therefore need
//! no derived implementations, which would take longer to compile than the rest of the generated types.

use plan_machine_kernel::json::Json;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Problems, Value, ValuePath};

/// Serializes a value.
///
/// # Errors
///
/// If the serializer returns an error.
pub fn serialize<T: Value, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.encode().serialize(to)
}

/// Deserializes a value, checks its types and bounds, and reports all problems at once.
///
/// # Errors
///
/// If the deserializer returns an error, or the value is invalid; all problems are reported.
pub fn deserialize<'de, T: Value, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let json = Json::deserialize(from)?;
    // The value may come from a store, so default bounds do not apply; if it is sent as input, the step applies them.
    let mut problems = Problems::of_stated_bounds();
    let value = T::decode(&json, &ValuePath::Payload, &mut problems);
    match value {
        Some(value) if problems.is_empty() => Ok(value),
        _ => Err(D::Error::custom(problems.messages().join("; "))),
    }
}
