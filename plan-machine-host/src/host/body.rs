//! What a plan says, in lines.

use plan_machine::{Json, Object};

/// What a plan says: its fields, each text on one line, so that none looks like another.
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

/// A text of a model on one line, its line breaks written out.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.trim_end().replace('\n', "\\n")
}
