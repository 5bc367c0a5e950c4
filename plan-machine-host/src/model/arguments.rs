//! The arguments of a call, as the JSON string that a model writes.

use plan_machine::{Json, Object};

use crate::words::short;

/// Parses arguments. An empty string means no arguments, because some servers write calls without arguments that way.
pub(super) fn read(text: &str) -> Result<Object, String> {
    if text.trim().is_empty() {
        return Ok(Object::new());
    }
    let told = short(text, 200);
    match Json::parse(text) {
        Ok(Json::Object(args)) => Ok(args),
        Ok(_) => Err(format!("arguments must be a JSON object, not `{told}`")),
        Err(why) => Err(format!(
            "arguments must be a JSON object; `{told}` is not JSON: {why}"
        )),
    }
}
