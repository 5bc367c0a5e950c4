//! Formats content for a person at a terminal.

use std::iter::{once, repeat};

use console::{measure_text_width, strip_ansi_codes};
use termimad::crossterm::style::{Attribute, Color, StyledContent, Stylize};
use termimad::{Alignment, FmtText, MadSkin};

use plan_machine::short_token;
use plan_machine::visible::visible;

use super::layout::{GOES_ON, GUTTER, GUTTER_WIDTH, widest, wrapped};
use super::visible::visible_answer;
use crate::outgoing::{Card, Content, Outgoing};

/// A stand-in for a backtick that survives the layout: it is one column wide and has no meaning in Markdown.
const BACKTICK: char = '\u{e000}';

/// The minimum width of a layout, whatever the terminal reports.
const NARROWEST: usize = 16;

/// The maximum length of an answer that is laid out, in bytes. Longer answers are shown as written.
const LONGEST_LAID_OUT: usize = 32 << 10;

/// The maximum number of table separators (`|`) in an answer that is laid out. Answers with more are shown as written.
const MOST_COLUMNS: usize = 1000;

/// Formats content in lines of at most this many columns.
#[must_use]
pub fn pretty(outgoing: &Outgoing, width: usize) -> String {
    let width = width.max(NARROWEST);
    let lines = match &outgoing.said {
        Content::Model(text) => behind_gutter(text, width),
        Content::Run { run: from, text } | Content::Output { from, text } => {
            let name = marked("", &format!("[{from}]"), width, Stylize::magenta);
            name.into_iter().chain(behind_gutter(text, width)).collect()
        }
        Content::Notice(text) => marked("· ", text, width, Stylize::dim),
        Content::List(lines) => marked("· ", &lines.join("\n"), width, Stylize::dim),
        Content::Error(text) => marked("! ", text, width, Stylize::red),
        Content::Card(card) => framed(card, width),
        Content::Effect(_) => Vec::new(),
        Content::Diagram(text) => marked("", text, width, Stylize::cyan),
    };
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Formats text from a model, a plan or a tool behind the gutter: laid out as Markdown, or as plain text if a layout
/// would take too long or hide some of the text.
fn behind_gutter(text: &str, width: usize) -> Vec<String> {
    let room = width - GUTTER_WIDTH;
    let laid_out = is_soon_laid_out(text).then(|| markdown(text, room));
    let lines = laid_out
        .filter(|lines| shows_all(lines, text, room))
        .unwrap_or_else(|| wrapped(&visible_answer(text), room, ""));
    let gutter = GUTTER.magenta();
    lines.iter().map(|line| format!("{gutter}{line}")).collect()
}

/// Returns whether text is simple enough to be laid out. The cost is quadratic in the size of tables and lines, and
/// list or quote markers in a table cell may be wider than the cell.
fn is_soon_laid_out(text: &str) -> bool {
    let columns = text.bytes().filter(|byte| *byte == b'|').count();
    text.len() <= LONGEST_LAID_OUT
        && columns <= MOST_COLUMNS
        && !text.lines().any(has_structured_cell)
}

/// Returns whether a line is a row of a table with a cell that is not just plain text.
fn has_structured_cell(line: &str) -> bool {
    let Some(row) = line.trim_start().strip_prefix('|') else {
        return false;
    };
    let mut cells = row.split('|').map(str::trim_start);
    let is_marked = |cell: &str| cell.starts_with(['*', '-', '+', '>', '#']) && !is_rule(cell);
    cells.any(|cell| is_marked(cell) || is_numbered(cell))
}

/// Returns whether a cell starts like an item of an ordered list.
fn is_numbered(cell: &str) -> bool {
    let after = cell.trim_start_matches(|letter: char| letter.is_ascii_digit());
    after.len() < cell.len() && after.starts_with(['.', ')'])
}

/// Returns whether a cell belongs to the delimiter row below a table's header.
fn is_rule(cell: &str) -> bool {
    cell.trim_end()
        .bytes()
        .all(|byte| matches!(byte, b'-' | b':'))
}

/// Returns whether a layout shows the text properly. No line may be wider than the available width, because the rest of
/// the line would wrap into the gutter. The layout must not be empty unless the text is empty: text that consists only
/// of Markdown syntax would disappear.
fn shows_all(lines: &[String], text: &str, room: usize) -> bool {
    let mut shown = lines.iter().map(|line| strip_ansi_codes(line));
    let is_blank = shown.clone().all(|line| line.trim().is_empty());
    (text.trim().is_empty() || !is_blank) && shown.all(|line| widest(&line) <= room)
}

fn markdown(text: &str, width: usize) -> Vec<String> {
    let mut skin = MadSkin::default();
    skin.set_headers_fg(Color::Cyan);
    for header in &mut skin.headers {
        header.align = Alignment::Left;
        header.add_attr(Attribute::Bold);
    }
    let marked = with_marked_code(&visible_answer(text));
    let lines = lines(&FmtText::from(&skin, &marked, Some(width)));
    lines
        .into_iter()
        .map(|line| line.replace(BACKTICK, "`"))
        .collect()
}

/// Marks both ends of inline code with a character that becomes a backtick after the layout, because the layout removes
/// backticks. A person who types the code that was shown must see where it ends. Code blocks are left alone.
fn with_marked_code(text: &str) -> String {
    let text = text.replace(BACKTICK, "‹U+E000›");
    let mut in_block = false;
    let lines = text.split('\n').map(|line| {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        if is_fence || in_block {
            return line.to_owned();
        }
        let parts: Vec<&str> = line.split('`').collect();
        let mut marked = String::new();
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                marked.push('`');
            }
            // Every second part is code if a backtick follows it.
            if at % 2 == 1 && at + 1 < parts.len() && !part.is_empty() {
                marked.push(BACKTICK);
                marked.push_str(part);
                marked.push(BACKTICK);
            } else {
                marked.push_str(part);
            }
        }
        marked
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Formats the host's text after a mark.
fn marked(
    mark: &str,
    text: &str,
    width: usize,
    paint: impl Fn(String) -> StyledContent<String>,
) -> Vec<String> {
    let indent = mark.chars().count();
    let lines = wrapped(&visible(text), width - indent, "");
    let marks = once(mark.to_owned()).chain(repeat(" ".repeat(indent)));
    let lines = marks.zip(lines).map(|(mark, line)| mark + &line);
    lines.map(|line| paint(line).to_string()).collect()
}

/// Formats a part of a card without a Markdown layout.
fn part(text: &str, width: usize, paint: impl Fn(String) -> StyledContent<String>) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let lines = wrapped(&visible(text), width, GOES_ON);
    lines
        .into_iter()
        .map(|line| paint(line).to_string())
        .collect()
}

fn lines(text: &FmtText<'_, '_>) -> Vec<String> {
    let text = text.to_string();
    let lines = text.trim_end().lines();
    lines.map(|line| line.trim_end().to_owned()).collect()
}

/// Draws a plan in a frame that is as wide as its text.
fn framed(card: &Card, width: usize) -> Vec<String> {
    let room = width - 4;
    let head = format!(
        "{} · {} · {}",
        card.plan,
        card.state,
        short_token(&card.token)
    ) + &card.expiry();
    let parts = [
        part(&head, room, Stylize::bold),
        // The body is not laid out: a person approves exactly these characters, and a layout would omit some of them.
        part(&card.body, room, Stylize::reset),
        part(&card.commands.join("\n"), room, Stylize::green),
    ];
    let widths = parts.iter().flatten().map(|line| measure_text_width(line));
    let inner = widths.max().unwrap_or(0);
    let rule = |left, right| format!("{left}{}{right}", "─".repeat(inner + 2)).blue();
    let side = "│".blue();
    let mut drawn = Vec::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        let ends = if drawn.is_empty() {
            ('╭', '╮')
        } else {
            ('├', '┤')
        };
        drawn.push(rule(ends.0, ends.1).to_string());
        drawn.extend(part.iter().map(|line| {
            let gap = " ".repeat(inner - measure_text_width(line));
            format!("{side} {line}{gap} {side}")
        }));
    }
    drawn.push(rule('╰', '╯').to_string());
    drawn
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_answer_can_be_laid_out_at_every_width(
            text in "([|*>#`a:1.) \n-]|\\| |\\* |\\|12\\. |\n\\|){0,60}",
            width in 0_usize..40,
        ) {
            behind_gutter(&text, width.max(NARROWEST));
        }
    }
}
