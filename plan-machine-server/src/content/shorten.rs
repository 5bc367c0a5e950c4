//! Shortens texts, and makes them visible.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::visible::visible;

/// Returns the beginning of a text, with every character visible.
#[must_use]
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let mut letters = text.chars();
    let mut short: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    visible(&short)
}

/// Returns a value with all its texts shortened and visible.
#[must_use]
pub(crate) fn shortened_json(value: &Json, most: usize) -> Json {
    match value {
        Json::Text(text) => shortened(text, most).into(),
        Json::List(items) => {
            let items = items.iter().map(|item| shortened_json(item, most));
            Json::List(items.collect())
        }
        Json::Object(object) => {
            let mut short = Object::new();
            for (key, value) in object.iter() {
                short.insert(shortened(key, most), shortened_json(value, most));
            }
            short.into()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_invisible_texts_are_harmless() {
        let value = Json::parse(r#"{"a":["\u001b[2Jabcdef",1]}"#).expect("JSON");
        let short = shortened_json(&value, 6).to_string();
        assert_eq!(short, r#"{"a":["‹U+001B›[2Jab…",1]}"#);
    }
}
