//! The arguments of a call, as the JSON string that a model writes.

use plan_machine::{Json, Object};
use serde::{Deserialize, Serialize};

use crate::words::short;

/// The maximum nesting of arguments. They are stored inside messages, which are read back with a limit of 128 levels.
const DEEPEST: usize = 100;

/// The reason why the arguments of a call cannot be read, in words that the model understands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(transparent)]
#[error("{0}")]
pub struct ArgumentsError(String);

impl ArgumentsError {
    /// Creates an error for a model whose API has its own way to write arguments.
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// Parses arguments. An empty string means no arguments, because some servers write calls without arguments that way.
pub(super) fn read(text: &str) -> Result<Object, ArgumentsError> {
    if text.trim().is_empty() {
        return Ok(Object::new());
    }
    let told = short(text, 200);
    let why = match Json::parse_within(text, DEEPEST) {
        Ok(Json::Object(args)) => return Ok(args),
        Ok(_) => format!("arguments must be a JSON object, not `{told}`"),
        Err(why) => format!("arguments must be a JSON object; `{told}` cannot be parsed: {why}"),
    };
    Err(ArgumentsError(why))
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
        let refused = nested(DEEPEST + 1).expect_err("too deep").to_string();
        assert!(refused.contains("nested"), "{refused}");
    }
}
