//! The size limits of stored values: without limits, data that grows with each step would exhaust the memory. The `max`
//! of a field replaces `MOST_ITEMS` and `MOST_JSON`.

use crate::json::Json;

/// The maximum size in bytes of a `string` or `json` value that a transition builds and stores.
pub const MOST_BYTES: usize = 1 << 20;

/// The maximum number of items in a list without a `max`.
pub const MOST_ITEMS: u64 = 100_000;

/// The maximum size in bytes, as canonical JSON, of a `json` value whose field has no `max`. The limit applies to new
/// input and to writes, never to data that is already stored.
pub const MOST_JSON: u64 = 64 << 10;

/// The maximum nesting depth of a `json` value that a transition builds and stores. It is well below the depth that a
/// journal can read, so that a value which is wrapped once more by each step does not make its session unreadable.
pub const MOST_DEPTH: usize = 128;

/// Returns whether the lists and objects in a JSON value are nested more than `most` levels deep.
///
/// ```
/// use plan_machine_kernel::json::Json;
/// use plan_machine_kernel::stored::is_deeper;
///
/// let nested = Json::List(vec![Json::List(Vec::new())]);
/// assert!(is_deeper(&nested, 1) && !is_deeper(&nested, 2));
/// ```
#[must_use]
pub fn is_deeper(json: &Json, most: usize) -> bool {
    let inside = |value: &Json| most == 0 || is_deeper(value, most - 1);
    match json {
        Json::List(items) => most == 0 || items.iter().any(inside),
        Json::Object(object) => most == 0 || object.iter().any(|(_, value)| inside(value)),
        _ => false,
    }
}

/// Returns the size of a JSON value that counts against [`MOST_BYTES`]: the bytes of its strings and keys, plus 8 bytes
/// per value.
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
