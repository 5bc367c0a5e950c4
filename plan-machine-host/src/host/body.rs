//! The content of a plan, as lines of text.

use plan_machine::{Json, Object};

/// Returns the content of a plan: its fields. Each string is put on one line, so that no part of the string can be
/// mistaken for a field.
pub(super) fn body(data: &Object) -> String {
    let fields = data.iter().map(|(key, value)| match value {
        Json::List(items) => {
            let items = (1..)
                .zip(items)
                .map(|(at, item)| format!("\n{at}. {}", line(item)));
            format!("{key}:{}", items.collect::<String>())
        }
        value => format!("{key}: {}", line(value)),
    });
    fields.collect::<Vec<_>>().join("\n")
}

fn line(value: &Json) -> String {
    match value {
        Json::Text(text) => one_line(text),
        other => other.to_string(),
    }
}

/// Puts a model's text on one line, with its line breaks escaped.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.trim_end().replace('\n', "\\n")
}
