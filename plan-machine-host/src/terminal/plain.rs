//! Content as plain text.

use plan_machine::visible::visible;

use super::layout::{GOES_ON, GUTTER, GUTTER_WIDTH, wrapped};
use super::visible::visible_answer;
use crate::outgoing::{Card, Content, Outgoing};

/// The line width if the width of the reader's screen is unknown.
const WIDTH: usize = 80;

/// Formats content for a pipe.
#[must_use]
pub fn rendered(outgoing: &Outgoing) -> String {
    rendered_in(outgoing, None)
}

/// Formats content in lines of at most this many columns. If the width is unknown, only text behind the gutter is
/// wrapped: if a terminal wrapped that text, its continuation would start in the gutter's column.
pub(super) fn rendered_in(outgoing: &Outgoing, width: Option<usize>) -> String {
    let known = width.unwrap_or(WIDTH).max(2 * GUTTER_WIDTH);
    let lines = match &outgoing.content {
        Content::Model(text) => behind_gutter(text, known),
        Content::Run { run: from, text } | Content::Output { from, text } => {
            let name = marked("", &format!("[{from}]"), width);
            name.into_iter().chain(behind_gutter(text, known)).collect()
        }
        Content::Notice(text) => marked("· ", text, width),
        Content::List(lines) => marked("· ", &lines.join("\n"), width),
        Content::Error(text) => marked("! ", text, width),
        Content::Diagram(text) => marked("", text, width),
        Content::Card(card) => framed(card, known),
        Content::Effect(_) => Vec::new(),
    };
    lines.join("\n")
}

fn behind_gutter(text: &str, width: usize) -> Vec<String> {
    let lines = wrapped(&visible_answer(text), width - GUTTER_WIDTH, "");
    let lines = lines.into_iter().map(|line| format!("{GUTTER}{line}"));
    lines.map(|line| line.trim_end().to_owned()).collect()
}

/// Formats the host's text after a mark; lines after the first one are indented to match.
fn marked(mark: &str, text: &str, width: Option<usize>) -> Vec<String> {
    let indent = mark.chars().count();
    let text = visible(text);
    let lines = match width {
        Some(width) => wrapped(&text, width.saturating_sub(indent).max(1), ""),
        None => text.lines().map(str::to_owned).collect(),
    };
    let all = lines.into_iter().enumerate().map(|(at, line)| {
        let mark = if at == 0 { mark } else { &" ".repeat(indent) };
        format!("{mark}{line}")
    });
    all.collect()
}

/// Formats a card: a heading, the plan, and the commands.
fn framed(card: &Card, width: usize) -> Vec<String> {
    let head = card.heading();
    let (body, commands) = (card.body.trim_end(), card.commands.join("\n"));
    let text = format!("{head}\n\n{body}\n\n{commands}");
    let lines = wrapped(&visible(&text), width - 2, GOES_ON).into_iter();
    let lines = lines.map(|line| format!("│ {line}").trim_end().to_owned());
    let (top, bottom) = ("┌─".to_owned(), "└─".to_owned());
    [top].into_iter().chain(lines).chain([bottom]).collect()
}
