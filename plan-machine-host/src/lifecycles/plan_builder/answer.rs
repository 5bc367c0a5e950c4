//! The answer from a planner.

use plan_machine::{Json, Object};

/// The answer from a planner.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// Plain text, shown unchanged.
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

/// The types of answers.
const TYPES: [&str; 4] = ["plan", "answer", "failure", "interruption"];

/// Parses an answer; also returns the text around its JSON object. Anything other than a JSON object with a `type` is
/// plain text.
pub(super) fn read(text: &str) -> (Answer, String) {
    if let Some((object, kind)) = typed(unfenced(text)) {
        return (of_type(&object, &kind), String::new());
    }
    let (answers, words): (Vec<Block>, Vec<Block>) =
        blocks(text).into_iter().partition(Block::is_answer);
    let words: Vec<&str> = words.into_iter().flat_map(|block| block.lines).collect();
    let words = words.join("\n").trim().to_owned();
    match &answers[..] {
        [] => (Answer::Words, String::new()),
        [one] => match typed(&one.inside()) {
            Some((object, kind)) => (of_type(&object, &kind), words),
            None => (Answer::Words, String::new()),
        },
        more => {
            let wrong = format!("expected one JSON object, found {}", more.len());
            (Answer::Malformed(wrong), words)
        }
    }
}

/// Parses a JSON object with a `type`.
fn typed(text: &str) -> Option<(Object, Json)> {
    let Ok(Json::Object(object)) = Json::parse(text) else {
        return None;
    };
    let kind = object.get("type")?.clone();
    Some((object, kind))
}

fn of_type(object: &Object, kind: &Json) -> Answer {
    let read = match kind.as_text() {
        Some("plan") => field(object, &["plan_id"]).and_then(|id| {
            let status = field(object, &["status"])?;
            Ok(Answer::Plan { id, status })
        }),
        Some("answer") => field(object, &["text", "answer"]).map(Answer::Text),
        Some("failure") => field(object, &["reason", "error"]).map(Answer::Failure),
        Some("interruption") => field(object, &["reason", "question"]).map(Answer::Interruption),
        _ => Err(format!(
            "expected the type `plan`, `answer`, `failure` or `interruption`, found {kind}"
        )),
    };
    read.unwrap_or_else(Answer::Malformed)
}

/// Returns the first of these fields that contains a string, or an error if there is none or the string is blank.
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

/// Lines of an answer: a fenced block with its fences, or a single line outside such blocks.
struct Block<'t> {
    lines: Vec<&'t str>,
    fence: Option<&'t str>,
}

impl Block<'_> {
    /// Returns whether the block contains an answer. Other JSON may be part of what the planner explains.
    fn is_answer(&self) -> bool {
        let kind = self.fence.and_then(|_| typed(&self.inside()));
        kind.is_some_and(|(_, kind)| kind.as_text().is_some_and(|kind| TYPES.contains(&kind)))
    }

    /// Returns the lines between the fences; the last fence may be missing.
    fn inside(&self) -> String {
        let inside = self.lines.iter().skip(1);
        let inside: Vec<&str> = inside.filter(|line| !self.is_end(line)).copied().collect();
        inside.join("\n")
    }

    fn is_end(&self, line: &str) -> bool {
        self.fence.is_some_and(|fence| line.trim() == fence)
    }
}

/// Splits an answer into its fenced blocks and the lines between them.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        match blocks.last_mut() {
            Some(block) if is_open => {
                is_open = !block.is_end(line);
                block.lines.push(line);
                continue;
            }
            _ => {}
        }
        let begun = ["```", "~~~"]
            .into_iter()
            .find(|fence| line.trim_start().starts_with(fence));
        is_open = begun.is_some();
        blocks.push(Block {
            lines: vec![line],
            fence: begun,
        });
    }
    blocks
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
        assert_eq!(read(reference), (plan, String::new()));
        for words in ["Done.", "{}", "{\"a\": 1}", "[]", "{\"type\":", ""] {
            assert_eq!(read(words).0, Answer::Words, "{words}");
        }
        let answer = |text: &str| match read(text).0 {
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

    #[test]
    fn an_object_in_a_fence_is_an_answer_like_one_without() {
        let reference = r#"{"type":"plan","plan_id":"plan-1","status":"draft"}"#;
        for (text, around) in [
            (format!("```json\n{reference}\n```\n"), ""),
            (format!("```{reference}```"), ""),
            (format!("~~~\n{reference}\n~~~"), ""),
            (format!("```JSON\n{reference}"), ""),
            (
                format!("Here it is:\n\n```json\n{reference}\n```\n\nTell me what you think."),
                "Here it is:\n\n\nTell me what you think.",
            ),
            (
                format!("```sh\nls\n```\n  ```json\n  {reference}\n  ```"),
                "```sh\nls\n```",
            ),
        ] {
            let (answer, words) = read(&text);
            assert!(matches!(answer, Answer::Plan { .. }), "{text}: {answer:?}");
            assert_eq!(words, around, "{text}");
        }
        let schema = "A schema:\n```json\n{\"type\": \"object\"}\n```";
        assert_eq!(read(schema).0, Answer::Words);
        let two = format!("One:\n```\n{reference}\n```\nTwo:\n```\n{reference}\n```");
        let (answer, words) = read(&two);
        assert!(matches!(answer, Answer::Malformed(why) if why.contains("found 2")));
        assert_eq!(words, "One:\nTwo:");
    }
}
