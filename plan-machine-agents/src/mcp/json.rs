//! Converts JSON between our own types and those of `serde_json`.

use plan_machine_kernel::json::{Json, Object, ParseError};
use rmcp::model::JsonObject;
use serde_json::Value;

/// Returns the arguments of a call. Missing arguments are an empty object.
pub(super) fn arguments(arguments: Option<JsonObject>) -> Result<Object, ParseError> {
    let Some(arguments) = arguments else {
        return Ok(Object::new());
    };
    match Json::parse(&Value::Object(arguments).to_string())? {
        Json::Object(object) => Ok(object),
        _ => Ok(Object::new()),
    }
}

/// Converts an object to the type that the protocol library uses. Any other value becomes an empty object.
pub(super) fn object(json: &Json) -> JsonObject {
    match serde_json::from_str(&json.to_string()) {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_keep_their_values() {
        let text = r#"{"a":[1,-2.5,"ä\n",null,true],"b":{"c":{}}}"#;
        let given: JsonObject = serde_json::from_str(text).expect("JSON");
        let read = arguments(Some(given.clone())).expect("arguments");
        assert_eq!(Json::from(read.clone()).to_string(), text);
        assert_eq!(object(&read.into()), given);
        assert!(arguments(None).expect("arguments").is_empty());
    }

    #[test]
    fn arguments_that_are_nested_too_deeply_are_refused() {
        let mut value = Value::Null;
        for _ in 0..200 {
            value = Value::Array(vec![value]);
        }
        let mut given = JsonObject::new();
        given.insert("a".to_owned(), value);
        assert!(arguments(Some(given)).is_err());
    }
}
