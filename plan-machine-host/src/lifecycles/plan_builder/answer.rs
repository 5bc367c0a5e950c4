//! The answer from a planner.

use plan_machine::{Json, Object};

/// The answer from a planner.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// Plain text, shown as it is.
    Words,
    /// Text in a JSON object.
    Text(String),
    /// A reference to a plan.
    Plan {
        /// The plan's id.
        id: String,
        /// The status that the planner reports.
        status: String,
    },
    /// The planner will not produce a plan.
    Failure(String),
    /// The planner cannot continue on its own.
    Interruption(String),
    /// A JSON object that is not a valid answer of any other kind; contains the reason.
    Malformed(String),
}

/// Parses an answer. Anything other than a JSON object with a `type` is plain text.
pub(super) fn read(text: &str) -> Answer {
    let Ok(Json::Object(object)) = Json::parse(unfenced(text)) else {
        return Answer::Words;
    };
    let Some(kind) = object.get("type") else {
        return Answer::Words;
    };
    let read = match kind.as_text() {
        Some("plan") => field(&object, &["plan_id"]).and_then(|id| {
            let status = field(&object, &["status"])?;
            Ok(Answer::Plan { id, status })
        }),
        Some("answer") => field(&object, &["text", "answer"]).map(Answer::Text),
        Some("failure") => field(&object, &["reason", "error"]).map(Answer::Failure),
        Some("interruption") => field(&object, &["reason", "question"]).map(Answer::Interruption),
        _ => Err(format!(
            "expected the type `plan`, `answer`, `failure` or `interruption`, found {kind}"
        )),
    };
    read.unwrap_or_else(Answer::Malformed)
}

/// Returns the first of these fields that contains a string.
fn field(object: &Object, names: &[&str]) -> Result<String, String> {
    let text = names.iter().find_map(|name| object.get(name)?.as_text());
    let text = text.filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or_else(|| {
        let name = names[0];
        match object.get(name) {
            Some(found) => format!("`{name}` is {found}, expected a string that is not blank"),
            None => format!("`{name}` is missing, expected a string"),
        }
    })
}

/// Returns the text without a code fence around it.
fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix("```json")
        .or_else(|| text.strip_prefix("```"));
    let inner = inner.and_then(|inner| inner.strip_suffix("```"));
    inner.unwrap_or(text).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_with_a_type_is_an_answer_of_that_type_and_all_else_is_words() {
        let plan = Answer::Plan {
            id: "plan-1".to_owned(),
            status: "draft".to_owned(),
        };
        let reference = r#"{"type":"plan","plan_id":"plan-1","status":"draft"}"#;
        assert_eq!(read(reference), plan);
        assert_eq!(read(&format!("```json\n{reference}\n```\n")), plan);
        for words in ["Done.", "{}", "{\"a\": 1}", "[]", "{\"type\":", ""] {
            assert_eq!(read(words), Answer::Words, "{words}");
        }
        let answer = |text: &str| match read(text) {
            Answer::Text(text) => format!("answer {text}"),
            Answer::Failure(text) => format!("failure {text}"),
            Answer::Interruption(text) => format!("interruption {text}"),
            Answer::Malformed(text) => format!("malformed: {text}"),
            other => format!("{other:?}"),
        };
        assert_eq!(answer(r#"{"type":"answer","text":"a"}"#), "answer a");
        assert_eq!(answer(r#"{"type":"failure","reason":"b"}"#), "failure b");
        let interruption = answer(r#"{"type":"interruption","reason":"c"}"#);
        assert_eq!(interruption, "interruption c");
        for wrong in [
            r#"{"type":"plan"}"#,
            r#"{"type":"plan","plan_id":"plan-1"}"#,
            r#"{"type":"failure","reason":" "}"#,
            r#"{"type":"poem"}"#,
            r#"{"type":1}"#,
        ] {
            let told = answer(wrong);
            let is_named = told.contains("expected a string") || told.contains("expected the type");
            assert!(
                told.starts_with("malformed: ") && is_named,
                "{wrong}: {told}"
            );
        }
    }
}
