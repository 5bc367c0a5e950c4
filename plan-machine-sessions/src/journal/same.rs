//! Compares JSON values byte for byte, and finds one value inside another.
//!
//! Equality of JSON values goes by meaning: `1` equals `1.0`, and the order of keys does not matter. A journal stores
//! bytes, so anything that replaces a value in it must have the same text.

use plan_machine_kernel::json::{Json, Object};

/// A value is worth a reference if its text has at least this many bytes.
const LONG: usize = 48;

/// The maximum number of values compared to find the references of one entry, which bounds the time it takes.
pub(super) const PATIENCE: usize = 100_000;

/// Tells whether two values have the same text.
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

/// Tells whether two objects have the same text.
pub(super) fn identical_objects(one: &Object, other: &Object) -> bool {
    let pairs = || one.iter().zip(other.iter());
    one.len() == other.len()
        && pairs().all(|((one, _), (other, _))| one == other)
        && pairs().all(|((_, one), (_, other))| identical(one, other))
}

/// Returns the length of a value's text; counting stops at `most`.
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

/// Returns the length of an object's text; counting stops at `most`.
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

/// Tells whether a value is worth a reference.
pub(super) fn is_long(value: &Json) -> bool {
    length(value, LONG) >= LONG
}

/// One step of the path to a value inside another.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Way {
    Key(String),
    Item(usize),
}

/// Finds a value inside another; the path to it is appended to `way`.
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

/// Finds a value among the members of an object.
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

/// Returns the value at the end of a path.
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
