//! Values in any serde format, through JSON: generated types need no derived code, which would cost
//! a user's build more than everything else in them.

use plan_machine_kernel::json::Json;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Problems, Value, ValuePath};

/// Writes a value.
///
/// # Errors
///
/// Those of the format.
pub fn serialize<T: Value, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
    value.encode().serialize(to)
}

/// Reads a value: types and bounds, all problems at once.
///
/// # Errors
///
/// Those of the format, and every problem of the value.
pub fn deserialize<'de, T: Value, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    let json = Json::deserialize(from)?;
    // It may have been stored; if it is sent, the step checks it.
    let mut problems = Problems::of_stated_bounds();
    let value = T::decode(&json, &ValuePath::Payload, &mut problems);
    match value {
        Some(value) if problems.is_empty() => Ok(value),
        _ => Err(D::Error::custom(problems.messages().join("; "))),
    }
}
