//! The short form of a trace's input lines: a name and an optional payload, instead of the JSON object that
//! `plan-machine run` reads.

use plan_machine_kernel::json::{Json, Object};

use crate::core::description::{Description, EventKind};
use crate::dynamic::machine::ShownToken;
use crate::dynamic::request::{CallName, WrittenCall};

/// Splits a line into a name and a payload, which may be missing.
pub(super) fn split(line: &str) -> (&str, &str) {
    line.split_once(char::is_whitespace).unwrap_or((line, ""))
}

/// Returns the call that a short line contains.
pub(super) fn written(name: CallName, payload: &str) -> Result<WrittenCall, String> {
    Ok(WrittenCall {
        name,
        class: None,
        with: payload_of(payload)?,
        plan_id: None,
        expect_revision: None,
        token: ShownToken::Missing,
        call_id: None,
    })
}

/// Returns the message for a name that looks like a misspelling of another one.
pub(super) fn misspelled(name: &str, near: &str) -> String {
    format!(
        "unknown event `{name}`; did you mean `{near}`? A host tool of this name is sent as {{\"tool\": \"{name}\"}}"
    )
}

/// Returns the names of the events that the machine itself defines.
pub(super) fn own_names(machine: &Description) -> impl Iterator<Item = &'static str> + use<> {
    let own = machine.events.iter();
    let own =
        own.filter(|event| !matches!(event.kind, EventKind::External | EventKind::OtherTools));
    own.map(|event| event.name)
}

fn payload_of(text: &str) -> Result<Object, String> {
    if text.trim().is_empty() {
        return Ok(Object::new());
    }
    match Json::parse(text) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(found) => Err(format!("the payload is {found}, expected an object")),
        Err(error) => Err(error.to_string()),
    }
}
