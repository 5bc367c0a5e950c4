//! The placeholders in a script's text.

use crate::model::{Message, Tool};

/// Fills in all placeholders in one pass: inserted text is not scanned for placeholders.
pub(super) fn fill(text: &str, turn: &[Message], tools: &[Tool]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let quoted = after.split_once('}');
        let quoted = quoted.and_then(|(name, end)| Some((value(name, turn, tools)?, end)));
        let (value, end) = quoted.unwrap_or(("{".to_owned(), after));
        filled.push_str(&value);
        rest = end;
    }
    filled + rest
}

fn value(name: &str, turn: &[Message], tools: &[Tool]) -> Option<String> {
    if name == "tools" {
        let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        names.sort_unstable();
        let names = Some(names.join(", ")).filter(|names| !names.is_empty());
        return names.or_else(|| Some("(no tools)".to_owned()));
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

/// Returns the results of the calls of the last response.
fn results(turn: &[Message]) -> Vec<&str> {
    let mut parts = turn.rsplit(|message| matches!(message, Message::Model(_)));
    let since = parts.next().unwrap_or_default().iter();
    let results = since.filter_map(|message| match message {
        Message::Result { content, .. } => Some(content.as_str()),
        _ => None,
    });
    results.collect()
}
