//! Limits on external input: calls by models, typed lines, and signals and context data from hosts.
//!
//! Each limit is far above the size of normal input, but well below the size that a journal can read back, so all
//! accepted input can be read again. The limits do not apply to data that is already stored.

use std::error::Error;
use std::fmt;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};

use super::tool_call::ToolCall;
use crate::dynamic::machine::{Call, CallKind, Denial, ShownToken};

/// The maximum nesting depth of lists and objects in a payload or a context.
pub const MAX_INPUT_DEPTH: usize = 64;

/// The maximum size in bytes of a payload or a context, as JSON, or of a typed line.
pub const MAX_INPUT_BYTES: usize = 4 * 1024 * 1024;

/// The maximum size in bytes of a name or an id.
pub const MAX_NAME_BYTES: usize = plan_machine_kernel::tools::MAX_NAME_BYTES;

/// The error for input that is rejected. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidInput(String);

impl fmt::Display for InvalidInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for InvalidInput {}

impl InvalidInput {
    /// Returns the denial for the sender of the input.
    pub(super) fn denial(self, state: &str) -> Denial {
        Denial::new(DenialKind::InvalidInput, self.0, state)
    }
}

type Checked = Result<(), InvalidInput>;

/// Checks a model's call.
pub(super) fn tool_call(call: &ToolCall) -> Checked {
    name("the name of the tool", &call.name)?;
    payload("the arguments", &call.args)
}

/// Checks an event and its context.
pub(super) fn event(call: &Call, context: &Object) -> Checked {
    let (CallKind::Event(sent) | CallKind::HostTool(sent)) = &call.what;
    name("the name of the event", sent)?;
    if let Some(plan) = &call.plan_id {
        name("the id of the plan", plan)?;
    }
    if let ShownToken::Shown(token) = &call.token {
        name("the token", token)?;
    }
    payload("the payload", &call.with)?;
    payload("the context", context)
}

/// Checks a string that is stored unchanged: a typed line, or the reason why a plan was ended.
pub fn text(what: &str, text: &str) -> Checked {
    bytes(what, text.len(), MAX_INPUT_BYTES)
}

/// Checks a name or an id.
pub fn name(what: &str, name: &str) -> Checked {
    bytes(what, name.len(), MAX_NAME_BYTES)
}

fn bytes(what: &str, found: usize, most: usize) -> Checked {
    if found <= most {
        return Ok(());
    }
    Err(InvalidInput(format!(
        "expected {what} to have at most {most} bytes, found {found}"
    )))
}

/// Returns the start of a name for logs, so that a log never repeats an overlong name in full.
pub(super) fn shown(name: &str) -> &str {
    let end = name.char_indices().nth(64).map_or(name.len(), |(at, _)| at);
    &name[..end]
}

fn payload(what: &str, payload: &Object) -> Checked {
    // The depth is checked first, because it bounds the recursion of all later checks.
    members(what, payload, 1)?;
    let mut count = Count(0);
    if payload.write(&mut count).is_err() {
        return Err(InvalidInput(format!(
            "expected {what} to have at most {MAX_INPUT_BYTES} bytes as JSON, found more"
        )));
    }
    Ok(())
}

fn members(what: &str, object: &Object, depth: usize) -> Checked {
    let mut keys: Vec<&str> = object.iter().map(|(key, _)| key).collect();
    keys.sort_unstable();
    if let Some(twice) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(InvalidInput(format!(
            "duplicate key `{}` in {what}",
            shown(twice[0])
        )));
    }
    let mut values = object.iter().map(|(_, value)| value);
    values.try_for_each(|member| value(what, member, depth))
}

fn value(what: &str, json: &Json, depth: usize) -> Checked {
    let too_deep = || {
        InvalidInput(format!(
            "expected {what} to nest at most {MAX_INPUT_DEPTH} levels deep, found more"
        ))
    };
    match json {
        Json::List(_) | Json::Object(_) if depth == MAX_INPUT_DEPTH => Err(too_deep()),
        Json::List(items) => items
            .iter()
            .try_for_each(|item| value(what, item, depth + 1)),
        Json::Object(object) => members(what, object, depth + 1),
        // Each of these two values would be read back as a value that differs from the one in
        // memory.
        Json::Float(number) if !number.is_finite() => Err(InvalidInput(format!(
            "expected the numbers in {what} to be finite, found {number}"
        ))),
        Json::Uint(number) if i64::try_from(*number).is_ok() => Err(InvalidInput(format!(
            "expected the number {number} in {what} as `Json::Int`, found `Json::Uint`"
        ))),
        _ => Ok(()),
    }
}

/// Counts the bytes that are written, and fails above the limit.
struct Count(usize);

impl fmt::Write for Count {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        if self.0 > MAX_INPUT_BYTES {
            return Err(fmt::Error);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> Json {
        (1..depth).fold(Json::List(Vec::new()), |inner, _| Json::List(vec![inner]))
    }

    fn with(value: Json) -> Checked {
        payload("the payload", &Object::from_iter([("value", value)]))
    }

    fn refused(value: Json) -> String {
        with(value).expect_err("rejected input").to_string()
    }

    #[test]
    fn a_payload_nests_as_deep_as_the_limit_and_no_deeper() {
        assert_eq!(with(nested(MAX_INPUT_DEPTH - 1)), Ok(()));
        let message = refused(nested(MAX_INPUT_DEPTH));
        assert_eq!(
            message,
            "expected the payload to nest at most 64 levels deep, found more"
        );
    }

    #[test]
    fn a_payload_is_as_large_as_the_limit_and_no_larger() {
        let around = r#"{"value":""}"#.len();
        let text = |bytes: usize| Json::from("x".repeat(bytes - around));
        assert_eq!(with(text(MAX_INPUT_BYTES)), Ok(()));
        assert!(refused(text(MAX_INPUT_BYTES + 1)).contains("4194304 bytes"));
        // The length of an escaped character is that of its escape, because the escape is stored.
        assert!(with(Json::from("\u{1}".repeat(MAX_INPUT_BYTES / 2))).is_err());
    }

    #[test]
    fn what_is_another_value_once_it_is_read_is_refused() {
        assert!(refused(Json::Float(f64::NAN)).contains("finite"));
        assert!(refused(Json::Uint(5)).contains("`Json::Int`"));
        assert_eq!(with(Json::Uint(u64::MAX)), Ok(()));
        let mut twice = Object::new();
        twice.push("key", 1_i64);
        twice.push("key", 2_i64);
        assert!(refused(twice.into()).contains("duplicate key `key`"));
    }

    #[test]
    fn names_have_a_limit() {
        let long = "x".repeat(MAX_NAME_BYTES + 1);
        assert_eq!(name("the token", &long[1..]), Ok(()));
        let message = name("the token", &long).expect_err("too long").to_string();
        assert_eq!(
            message,
            "expected the token to have at most 1024 bytes, found 1025"
        );
    }
}
