//! Reads the fields of an object one by one and reports all problems.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::messages;

use super::{Bounds, Problems, Value, ValuePath};

/// Returns the object whose fields are to be read, or reports that the value is not an object.
pub fn object<'j>(
    json: &'j Json,
    at: &ValuePath<'_>,
    problems: &mut Problems,
) -> Option<&'j Object> {
    let object = json.as_object();
    if object.is_none() {
        problems.push(messages::unfit(at, messages::reason::OBJECT));
    }
    object
}

/// Reports the keys that are not declared fields.
pub fn known(object: &Object, names: &[&str], at: &ValuePath<'_>, problems: &mut Problems) {
    for (key, value) in object.iter() {
        if !names.contains(&key) {
            let known = names.iter().copied();
            problems.push(messages::undeclared(key, value, &at.prefix(), known));
        }
    }
}

fn present<'o>(object: &'o Object, name: &str) -> Option<&'o Json> {
    object.get(name).filter(|json| !json.is_null())
}

fn read<T: Value>(
    json: &Json,
    bounds: Bounds,
    at: &ValuePath<'_>,
    problems: &mut Problems,
) -> Option<T> {
    let value = T::decode(json, at, problems)?;
    value.own_bounds(bounds, at, problems);
    Some(value)
}

/// Reads a required field.
pub fn required<T: Value>(
    object: &Object,
    name: &'static str,
    bounds: Bounds,
    at: &ValuePath<'_>,
    problems: &mut Problems,
) -> Option<T> {
    let place = at.field(name);
    let Some(json) = present(object, name) else {
        problems.push(messages::missing(place));
        return None;
    };
    read(json, bounds, &place, problems)
}

/// Reads an optional field.
pub fn optional<T: Value>(
    object: &Object,
    name: &'static str,
    bounds: Bounds,
    at: &ValuePath<'_>,
    problems: &mut Problems,
) -> Option<Option<T>> {
    match present(object, name) {
        Some(json) => read(json, bounds, &at.field(name), problems).map(Some),
        None => Some(None),
    }
}

/// Reads a field that has a default.
pub fn or_else<T: Value>(
    object: &Object,
    name: &'static str,
    bounds: Bounds,
    at: &ValuePath<'_>,
    problems: &mut Problems,
    default: impl FnOnce() -> T,
) -> Option<T> {
    match present(object, name) {
        Some(json) => read(json, bounds, &at.field(name), problems),
        None => Some(default()),
    }
}
