//! The texts that a spec has for events that are not available.

use crate::json::{Json, Object};
use crate::tables::TextPart;

/// Returns whether the text needs the context.
#[must_use]
pub fn reads_context<T>(text: &[TextPart<T>]) -> bool {
    text.iter()
        .any(|part| matches!(part, TextPart::Context { .. }))
}

/// Returns the text with the values of the context inserted; `None` if the text needs a value that is not set.
#[must_use]
pub fn filled<T: AsRef<str>>(text: &[TextPart<T>], context: &Object) -> Option<String> {
    let mut whole = String::new();
    for part in text {
        match part {
            TextPart::Literal(text) => whole.push_str(text.as_ref()),
            TextPart::Context { field, otherwise } => match context.get(field.as_ref()) {
                Some(Json::Text(text)) => whole.push_str(text),
                Some(value) if *value != Json::Null => whole.push_str(&value.to_string()),
                _ => whole.push_str(otherwise.as_ref()?.as_ref()),
            },
        }
    }
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: [TextPart<&str>; 3] = [
        TextPart::Literal("Ask "),
        TextPart::Context {
            field: "operator",
            otherwise: Some("the operator"),
        },
        TextPart::Literal("."),
    ];

    fn context(operator: impl Into<Json>) -> Object {
        let mut context = Object::new();
        context.push("operator", operator);
        context
    }

    #[test]
    fn a_text_contains_the_values_of_the_context() {
        assert_eq!(filled(&TEXT, &context("ann")).as_deref(), Some("Ask ann."));
        assert_eq!(filled(&TEXT, &context(7_i64)).as_deref(), Some("Ask 7."));
    }

    #[test]
    fn a_value_that_is_not_set_has_a_substitute_or_the_text_has_no_value() {
        let expected = Some("Ask the operator.");
        assert_eq!(filled(&TEXT, &Object::new()).as_deref(), expected);
        assert_eq!(filled(&TEXT, &context(Json::Null)).as_deref(), expected);
        let needed = [TextPart::Context {
            field: "operator",
            otherwise: None,
        }];
        assert_eq!(filled(&needed, &Object::new()), None);
    }
}
