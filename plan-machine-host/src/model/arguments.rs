//! The arguments of a call, as the JSON string that a model writes.

use plan_machine::{Json, Object};

use crate::words::short;

/// The maximum nesting of arguments. They are stored inside messages, which are read back with a limit of 128 levels.
const DEEPEST: usize = 100;

/// Parses arguments. An empty string means no arguments, because some servers write calls without arguments that way.
pub(super) fn read(text: &str) -> Result<Object, String> {
    if text.trim().is_empty() {
        return Ok(Object::new());
    }
    let told = short(text, 200);
    match Json::parse_within(text, DEEPEST) {
        Ok(Json::Object(args)) => Ok(args),
        Ok(_) => Err(format!("arguments must be a JSON object, not `{told}`")),
        Err(why) => Err(format!(
            "arguments must be a JSON object; `{told}` cannot be parsed: {why}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_nested_so_little_that_stored_messages_can_be_read_again() {
        let nested = |levels: usize| {
            let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
            read(&format!(r#"{{"a":{open}{close}}}"#))
        };
        assert!(nested(DEEPEST).is_ok());
        let refused = nested(DEEPEST + 1).expect_err("too deep");
        assert!(refused.contains("nested"), "{refused}");
    }
}
