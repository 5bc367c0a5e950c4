//! Literals in a spec, and the JSON form of a spec's values.

use std::time::Duration;

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;

use crate::core::cx::ListedPlan;
use crate::core::types::MachineTypes;
use crate::core::value::{Problems, Value, ValuePath, object};

/// Returns an instant that is a literal in the spec.
#[must_use]
pub fn instant(seconds: u64, nanos: u32) -> Instant {
    let since = Duration::new(seconds, nanos);
    Instant::from_since_1970(since).unwrap_or(Instant::at_second(0))
}

/// Returns a JSON value that is a literal in the spec.
#[must_use]
pub fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_default()
}

/// Returns the items of a list as JSON.
#[must_use]
pub fn encode_all<T: Value>(items: &[T]) -> Json {
    Json::List(items.iter().map(Value::encode).collect())
}

/// Returns an optional value as JSON.
#[must_use]
pub fn encode_optional<T: Value>(value: Option<&T>) -> Json {
    value.map_or(Json::Null, Value::encode)
}

/// Returns the JSON form of a plan in a list.
#[must_use]
pub fn listed<L: MachineTypes>(plan: &ListedPlan<L>) -> Json {
    let mut object = Object::new();
    object.push("id", plan.id.as_str());
    object.push("state", L::state_name(plan.state));
    object.push("revision", plan.revision);
    if let Json::Object(summary) = plan.summary.encode() {
        for (key, value) in summary {
            object.push(key, value);
        }
    }
    Json::Object(object)
}

/// Returns the value of an enum that a JSON string names, or reports that there is no such value.
pub fn named<T: Copy>(
    json: &Json,
    all: &[T],
    name: impl Fn(T) -> &'static str,
    at: &ValuePath<'_>,
    problems: &mut Problems,
) -> Option<T> {
    let found = all
        .iter()
        .find(|value| json.as_text() == Some(name(**value)));
    if found.is_none() {
        let names: Vec<&str> = all.iter().map(|value| name(*value)).collect();
        problems.push(messages::unfit(at, messages::reason::none_of(&names, json)));
    }
    found.copied()
}

/// Returns the object `{"name": {…}}`, with these fields in the inner object.
#[must_use]
pub fn tagged(name: &'static str, fields: Object) -> Json {
    let mut object = Object::new();
    object.push(name, fields);
    Json::Object(object)
}

/// Returns the name and the fields of `{"name": {…}}`.
pub fn tag<'j>(
    json: &'j Json,
    at: &ValuePath<'_>,
    problems: &mut Problems,
) -> Option<(&'j str, &'j Object)> {
    let outer = object(json, at, problems)?;
    let (name, fields) = outer.iter().next()?;
    let fields = object(fields, &at.member(name), problems)?;
    (outer.len() == 1).then_some((name, fields))
}

/// Reports that the machine has no such effect.
pub fn no_effect<T>(at: &ValuePath<'_>, problems: &mut Problems) -> Option<T> {
    problems.push(messages::unfit(at, "is not an effect of the machine"));
    None
}
