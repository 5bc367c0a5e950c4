//! How large a stored value may be if the spec does not say: data that grows with each step would fill the memory.

use crate::json::Json;

/// The maximum number of bytes of a text, or of a JSON value, that a transition builds and stores.
pub const MOST_BYTES: usize = 1 << 20;

/// The maximum number of items of a list without a `max`.
pub const MOST_ITEMS: u64 = 100_000;

/// The maximum number of bytes of a `json` value whose field has no `max`, as canonical JSON. It applies to new input
/// and writes, never to stored data.
pub const MOST_JSON: u64 = 64 << 10;

/// Returns what a JSON value counts against [`MOST_BYTES`]: its texts and keys, and 8 bytes for each value.
///
/// ```
/// use plan_machine_kernel::json::Json;
/// use plan_machine_kernel::stored::bytes_of;
///
/// assert_eq!(bytes_of(&Json::from("seven")), 13);
/// assert_eq!(bytes_of(&Json::List(vec![Json::from(1_i64), Json::from(2_i64)])), 24);
/// ```
#[must_use]
pub fn bytes_of(json: &Json) -> usize {
    let inside = match json {
        Json::Text(text) => text.len(),
        Json::List(items) => items.iter().map(bytes_of).sum(),
        Json::Object(object) => object
            .iter()
            .map(|(key, value)| key.len() + bytes_of(value))
            .sum(),
        _ => 0,
    };
    8 + inside
}
