//! Arguments of a call, as the text that a model wrote.

use plan_machine::{Json, Object};

/// Reads arguments. No text at all is no arguments: so some servers write the call of a tool that has none.
pub(super) fn read(text: &str) -> Result<Object, String> {
    if text.trim().is_empty() {
        return Ok(Object::new());
    }
    match Json::parse(text) {
        Ok(Json::Object(args)) => Ok(args),
        Ok(_) => Err(format!("arguments are a JSON object, not {}", short(text))),
        Err(why) => Err(format!(
            "arguments are a JSON object; {} is no JSON: {why}",
            short(text)
        )),
    }
}

fn short(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
