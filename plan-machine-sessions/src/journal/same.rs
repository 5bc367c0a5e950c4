//! Compares the text of JSON values byte for byte, and finds one value inside another.
//!
//! The operator `==` compares the meaning of JSON values: `1` equals `1.0`, and the order of keys does not matter. A
//! journal stores bytes, so a reference to another value may replace a value only if both have exactly the same text.

use plan_machine_kernel::json::{Json, Object};

/// The minimum length of a value's text, in bytes, for the value to be replaced with a reference.
const LONG: usize = 48;

/// The maximum number of comparisons made to find references for one entry. This limits the time that writing an entry
/// takes.
pub(super) const PATIENCE: usize = 100_000;

/// Returns whether two values have exactly the same text.
pub(super) fn identical(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Null, Json::Null) => true,
        (Json::Bool(one), Json::Bool(other)) => one == other,
        (Json::Int(one), Json::Int(other)) => one == other,
        (Json::Uint(one), Json::Uint(other)) => one == other,
        (Json::Float(one), Json::Float(other)) => one.to_bits() == other.to_bits(),
        (Json::Text(one), Json::Text(other)) => one == other,
        (Json::List(one), Json::List(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| identical(one, other))
        }
        (Json::Object(one), Json::Object(other)) => identical_objects(one, other),
        _ => false,
    }
}

/// Returns whether two objects have exactly the same text.
pub(super) fn identical_objects(one: &Object, other: &Object) -> bool {
    let pairs = || one.iter().zip(other.iter());
    one.len() == other.len()
        && pairs().all(|((one, _), (other, _))| one == other)
        && pairs().all(|((_, one), (_, other))| identical(one, other))
}

/// Returns the approximate length of a value's text in bytes. Counting stops soon after the length reaches `most`.
pub(super) fn length(value: &Json, most: usize) -> usize {
    match value {
        Json::Text(text) => text.len() + 2,
        Json::List(items) => {
            let mut all = 2;
            for item in items {
                if all >= most {
                    break;
                }
                all += 1 + length(item, most);
            }
            all
        }
        Json::Object(members) => length_of_object(members, most),
        _ => 4,
    }
}

/// Returns the approximate length of an object's text in bytes. Counting stops soon after the length reaches `most`.
pub(super) fn length_of_object(members: &Object, most: usize) -> usize {
    let mut all = 2;
    for (key, value) in members.iter() {
        if all >= most {
            break;
        }
        all += key.len() + 4 + length(value, most);
    }
    all
}

/// Returns whether a value is long enough to be replaced with a reference.
pub(super) fn is_long(value: &Json) -> bool {
    length(value, LONG) >= LONG
}

/// One segment of the path to a nested value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Way {
    Key(String),
    Item(usize),
}

/// Returns whether `within` is or contains the value `wanted`. If so, the path to that value is appended to `way`.
/// `left` is the number of comparisons that may still be made.
pub(super) fn find(wanted: &Json, within: &Json, way: &mut Vec<Way>, left: &mut usize) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    if identical(wanted, within) {
        return true;
    }
    match within {
        Json::Object(members) => find_in_object(wanted, members, way, left),
        Json::List(items) => items.iter().enumerate().any(|(at, item)| {
            way.push(Way::Item(at));
            let found = find(wanted, item, way, left);
            if !found {
                way.pop();
            }
            found
        }),
        _ => false,
    }
}

/// Returns whether an object contains the value `wanted`, in the same way as [`find`].
pub(super) fn find_in_object(
    wanted: &Json,
    members: &Object,
    way: &mut Vec<Way>,
    left: &mut usize,
) -> bool {
    members.iter().any(|(key, value)| {
        way.push(Way::Key(key.to_owned()));
        let found = find(wanted, value, way, left);
        if !found {
            way.pop();
        }
        found
    })
}

/// Returns the nested value at a path.
pub(super) fn at<'v>(mut value: &'v Json, way: &[Way]) -> Option<&'v Json> {
    for step in way {
        value = match (step, value) {
            (Way::Key(key), Json::Object(members)) => members.get(key)?,
            (Way::Item(at), Json::List(items)) => items.get(*at)?,
            _ => return None,
        };
    }
    Some(value)
}
