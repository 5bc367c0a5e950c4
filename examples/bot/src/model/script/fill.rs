//! What a text of a script quotes.

use crate::model::{Message, Tool};

/// Fills in what a text quotes, in one pass: what is filled in is not looked at again.
pub(super) fn fill(text: &str, turn: &[Message], tools: &[Tool]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let quoted = after
            .split_once('}')
            .and_then(|(name, end)| Some((value(name, turn, tools)?, end)));
        if let Some((value, end)) = quoted {
            filled.push_str(&value);
            rest = end;
        } else {
            filled.push('{');
            rest = after;
        }
    }
    filled + rest
}

fn value(name: &str, turn: &[Message], tools: &[Tool]) -> Option<String> {
    if name == "tools" {
        let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        names.sort_unstable();
        return Some(if names.is_empty() {
            "(no tools)".to_owned()
        } else {
            names.join(", ")
        });
    }
    let results = results(turn);
    let result = if name == "result" {
        results.last()
    } else {
        let number: usize = name.strip_prefix("result.")?.parse().ok()?;
        results.get(number.checked_sub(1)?)
    };
    Some(result.map_or("(no result)", |text| text).to_owned())
}

/// The results since the last response.
fn results(turn: &[Message]) -> Vec<&str> {
    let mut results = Vec::new();
    for message in turn {
        match message {
            Message::Result { content, .. } => results.push(content.as_str()),
            Message::Model(_) => results.clear(),
            Message::User(_) => {}
        }
    }
    results
}
