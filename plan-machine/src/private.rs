//! What generated code needs and nobody else: not part of the interface.

use std::fmt::Write;
use std::time::Duration;

pub use plan_machine_kernel::digest::{Digester, Token};
pub use plan_machine_kernel::json::{Json, Object};
pub use plan_machine_kernel::markdown::{is_complete, section, with_section};
pub use plan_machine_kernel::messages;
pub use plan_machine_kernel::time::Instant;
pub use serde;

pub use crate::accepted::{Accepted, Address};
pub use crate::cx::{Cx, Listed};
pub use crate::denied::{Denied, Fault, Refusal, Refused};
pub use crate::description::{
    Argument, Description, Effect, Event, EventKind, Handling, Instances, Next, State, Transition,
};
pub use crate::held::{Hold, Plans, Slot, step_to};
pub use crate::host_tool::HostTool;
pub use crate::id::Id;
pub use crate::lifecycle::{After, Lifecycle, Move};
pub use crate::plan::{AnyPlan, InState, Released, Succession};
pub use crate::record::Record;
pub use crate::reply::Answer;
pub use crate::scenario::scenario;
pub use crate::value::{
    At, Bounds, Problems, Value, deserialize, known, optional, or_else, required, serialize,
};
pub use crate::value::{deserialize_event, serialize_event};
pub use crate::{event_through_json, through_json};

use crate::value::{Break, Unit};

/// A sum, where it fits.
///
/// # Errors
///
/// Where it does not.
#[inline]
pub fn add(left: i64, right: i64) -> Result<i64, Fault> {
    left.checked_add(right).ok_or(Fault::Overflow)
}

/// A difference, where it fits.
///
/// # Errors
///
/// Where it does not.
#[inline]
pub fn subtract(left: i64, right: i64) -> Result<i64, Fault> {
    left.checked_sub(right).ok_or(Fault::Overflow)
}

/// How many; nothing in memory has more than fits.
#[must_use]
#[inline]
pub fn length(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// A revision or edition as a number of the language.
#[must_use]
#[inline]
pub fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// An item of a list, if there is one at the position.
#[must_use]
#[inline]
pub fn item_at<T>(list: &[T], position: i64) -> Option<&T> {
    usize::try_from(position).ok().and_then(|at| list.get(at))
}

/// A position below `end`.
///
/// # Errors
///
/// A refusal that says so.
#[inline]
pub fn position(number: i64, end: usize, list: &str) -> Result<usize, Refusal> {
    match usize::try_from(number) {
        Ok(at) if at < end => Ok(at),
        _ => Err(Refusal::no_position(number, list, end)),
    }
}

/// Whether a condition of an alternative holds; one that relies on what is not there does not.
///
/// # Errors
///
/// Where a number grew too large.
pub fn holds(condition: Result<bool, Fault>) -> Result<bool, Refusal> {
    match condition {
        Ok(holds) => Ok(holds),
        Err(Fault::Unset) => Ok(false),
        Err(Fault::Overflow) => Err(Fault::Overflow.into()),
    }
}

/// Notes a requirement that failed. One that relies on a failed one is skipped.
///
/// # Errors
///
/// Where a number grew too large.
pub fn require(
    holds: Result<bool, Fault>,
    messages: &mut Vec<String>,
    message: impl FnOnce() -> Result<String, Fault>,
    condition: &str,
) -> Result<(), Refusal> {
    match holds {
        Ok(true) => return Ok(()),
        Err(Fault::Overflow) => return Err(Fault::Overflow.into()),
        Err(Fault::Unset) if !messages.is_empty() => return Ok(()),
        _ => {}
    }
    match message() {
        Ok(message) => messages.push(message),
        Err(Fault::Overflow) => return Err(Fault::Overflow.into()),
        // Behind a requirement that failed, a message may have nothing to speak of.
        Err(Fault::Unset) => messages.push(self::messages::needs(condition)),
    }
    Ok(())
}

/// Whether a list may grow to so many items.
pub fn room(count: usize, max: u64, at: &At<'_>, problems: &mut Problems) {
    if u64::try_from(count).unwrap_or(u64::MAX) > max {
        let unit = Unit::Items;
        problems.push_break(at, Break::TooMuch { count, unit, max });
    }
}

/// Whether an effect keeps its bounds.
///
/// # Errors
///
/// Where it does not.
pub fn in_bounds(effect: &impl Value) -> Result<(), Refusal> {
    let mut problems = Problems::None;
    effect.inner_bounds(&At::Payload, &mut problems);
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Refusal::limit(problems))
    }
}

/// A step that the compiler has proved to be accepted.
///
/// # Panics
///
/// Never: the proof rests on what `has` says of the state, which every record keeps.
pub fn proved<T>(result: Result<T, Refusal>) -> T {
    match result {
        Ok(value) => value,
        Err(refusal) => unreachable!("proved at compile time, and yet {refusal:?}"),
    }
}

/// A field that the state is certain of.
///
/// # Panics
///
/// Never: every step that ends in the state has set it, and a stored record is checked for it.
pub fn certain<T>(field: Option<T>) -> T {
    field.expect("proved at compile time, and checked when a record is read")
}

/// The record that a step has made.
///
/// # Panics
///
/// Never: the transition makes one.
#[must_use]
pub fn created<L: Lifecycle>(after: After<L>) -> Box<Record<L>> {
    match after.outcome {
        Move::Starts(record) | Move::Succeeded(record) => record,
        Move::Stays | Move::Released => impossible(),
    }
}

/// What no alternative leads to.
///
/// # Panics
///
/// If it is ever reached, which the alternatives rule out.
pub fn impossible() -> ! {
    unreachable!("the alternatives of the transition lead elsewhere")
}

/// The denial of a typed method.
#[must_use]
pub fn denied<L: Lifecycle>(state: u16, event: u16, refusal: Refusal) -> Denied {
    Denied::new(L::MACHINE, state, event, refusal)
}

/// An instant of the spec.
#[must_use]
pub fn instant(seconds: u64, nanos: u32) -> Instant {
    let since = Duration::new(seconds, nanos);
    Instant::from_since_1970(since).unwrap_or(Instant::at_second(0))
}

/// A JSON value of the spec.
#[must_use]
pub fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_default()
}

/// The items of a list as JSON.
#[must_use]
pub fn encode_all<T: Value>(items: &[T]) -> Json {
    Json::List(items.iter().map(Value::encode).collect())
}

/// An optional as JSON.
#[must_use]
pub fn encode_optional<T: Value>(value: Option<&T>) -> Json {
    value.map_or(Json::Null, Value::encode)
}

/// How a plan is listed.
#[must_use]
pub fn listed<L: Lifecycle>(plan: &Listed<L>) -> Json {
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

/// The object that fields are read from.
pub fn object<'j>(json: &'j Json, at: &At<'_>, problems: &mut Problems) -> Option<&'j Object> {
    let object = json.as_object();
    if object.is_none() {
        problems.push(messages::unfit(at, messages::reason::OBJECT));
    }
    object
}

/// A value by its name.
pub fn named<T: Copy>(
    json: &Json,
    all: &[T],
    name: impl Fn(T) -> &'static str,
    at: &At<'_>,
    problems: &mut Problems,
) -> Option<T> {
    let found = all
        .iter()
        .find(|value| json.as_text() == Some(name(**value)));
    if found.is_none() {
        let names: Vec<&str> = all.iter().map(|value| name(*value)).collect();
        problems.push(messages::unfit(at, messages::reason::none_of(&names)));
    }
    found.copied()
}

/// `{"name": {…}}`.
#[must_use]
pub fn tagged(name: &str, fields: Object) -> Json {
    let mut object = Object::new();
    object.push(name, fields);
    Json::Object(object)
}

/// The name and the fields of `{"name": {…}}`.
pub fn tag<'j>(
    json: &'j Json,
    at: &At<'_>,
    problems: &mut Problems,
) -> Option<(&'j str, &'j Object)> {
    let outer = object(json, at, problems)?;
    let (name, fields) = outer.iter().next()?;
    let fields = object(fields, &at.member(name), problems)?;
    (outer.len() == 1).then_some((name, fields))
}

/// There is no such effect.
pub fn no_effect<T>(at: &At<'_>, problems: &mut Problems) -> Option<T> {
    problems.push(messages::unfit(at, "is no effect of the machine"));
    None
}

/// Writes a text of canonical JSON.
pub fn digest_text(text: &str, out: &mut Digester) {
    // A digester takes whatever it is given.
    let _ = plan_machine_kernel::json::write_string(out, text);
}

/// The place of a host's tool in the tables, by its name.
#[must_use]
pub fn host_tool_index(machine: &Description, call: &HostTool) -> u16 {
    crate::host_tool::entry(machine, &call.tool)
}

/// An object of canonical JSON, written member by member; the keys come sorted.
pub struct Members<'o> {
    out: &'o mut Digester,
    empty: bool,
}

impl<'o> Members<'o> {
    /// `{`
    pub fn begin(out: &'o mut Digester) -> Self {
        let _ = out.write_char('{');
        Self { out, empty: true }
    }

    /// `"key":` as it stands, and what is written to the digester afterwards.
    pub fn key(&mut self, key: &str) -> &mut Digester {
        if !std::mem::take(&mut self.empty) {
            let _ = self.out.write_char(',');
        }
        let _ = self.out.write_str(key);
        self.out
    }

    /// `"key":value`
    pub fn member(&mut self, key: &str, value: &impl Value) {
        value.digest(self.key(key));
    }

    /// `}`
    pub fn end(self) {
        let _ = self.out.write_char('}');
    }
}

/// Writes a list of canonical JSON, item by item.
pub fn digest_list<T>(items: &[T], out: &mut Digester, item: impl Fn(&T, &mut Digester)) {
    let _ = out.write_char('[');
    for (index, one) in items.iter().enumerate() {
        if index > 0 {
            let _ = out.write_char(',');
        }
        item(one, out);
    }
    let _ = out.write_char(']');
}

/// Reads and writes types in any format of serde, through JSON.
#[doc(hidden)]
#[macro_export]
macro_rules! through_json {
    ($($kind:ty),*) => {$(
        #[automatically_derived]
        impl $crate::__private::serde::Serialize for $kind {
            fn serialize<S: $crate::__private::serde::Serializer>(
                &self,
                to: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::__private::serialize(self, to)
            }
        }

        #[automatically_derived]
        impl<'de> $crate::__private::serde::Deserialize<'de> for $kind {
            fn deserialize<D: $crate::__private::serde::Deserializer<'de>>(
                from: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::__private::deserialize(from)
            }
        }
    )*};
}

/// Reads and writes events in any format of serde: `{"do": "approve", "with": {…}}`, and
/// `{"tool": "shell", "with": {…}}` of a tool of the host.
#[doc(hidden)]
#[macro_export]
macro_rules! event_through_json {
    ($event:ty, $machine:ty) => {
        #[automatically_derived]
        impl $crate::__private::serde::Serialize for $event {
            fn serialize<S: $crate::__private::serde::Serializer>(
                &self,
                to: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::__private::serialize_event::<$machine, S>(self, to)
            }
        }

        #[automatically_derived]
        impl<'de> $crate::__private::serde::Deserialize<'de> for $event {
            fn deserialize<D: $crate::__private::serde::Deserializer<'de>>(
                from: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::__private::deserialize_event::<$machine, D>(from)
            }
        }
    };
}
