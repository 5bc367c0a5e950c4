//! Formats content for a person at a terminal.

use std::iter::{once, repeat};

use console::{Color, Style, measure_text_width};

use plan_machine::visible::visible;

use super::layout::{GOES_ON, GUTTER, GUTTER_WIDTH, wrapped};
use super::markdown::{has_letters, laid_out};
use super::style::{colored, plain};
use super::visible::visible_answer;
use crate::outgoing::{Card, Content, Outgoing};

/// The minimum width of a layout, whatever the terminal reports.
const NARROWEST: usize = 16;

/// The maximum length of an answer that is laid out, in bytes. Longer answers are shown as written.
const LONGEST_LAID_OUT: usize = 32 << 10;

/// Formats content in lines of at most this many columns. The lines have colors if standard output is a terminal and
/// `NO_COLOR` is not set; other styles, such as bold text, do not depend on that.
#[must_use]
pub fn pretty(outgoing: &Outgoing, width: usize) -> String {
    let width = width.max(NARROWEST);
    let lines = match &outgoing.content {
        Content::Model(text) => behind_gutter(text, width),
        Content::Run { run: from, text } | Content::Output { from, text } => {
            let name = marked("", &format!("[{from}]"), width, &colored(Color::Magenta));
            name.into_iter().chain(behind_gutter(text, width)).collect()
        }
        Content::Notice(text) => marked("· ", text, width, &plain().dim()),
        Content::List(lines) => marked("· ", &lines.join("\n"), width, &plain().dim()),
        Content::Error(text) => marked("! ", text, width, &colored(Color::Red)),
        Content::Card(card) => framed(card, width),
        Content::Effect(_) => Vec::new(),
        Content::Diagram(text) => marked("", text, width, &colored(Color::Cyan)),
    };
    lines.into_iter().map(|line| line + "\n").collect()
}

/// Formats text from a model, a plan or a tool behind the gutter: laid out as Markdown, or as written if a layout would
/// take too long or show nothing, because the text consists only of Markdown syntax.
fn behind_gutter(text: &str, width: usize) -> Vec<String> {
    let room = width - GUTTER_WIDTH;
    let text = visible_answer(text);
    let lines = if text.len() <= LONGEST_LAID_OUT && has_letters(&text) {
        laid_out(&text, room)
    } else {
        wrapped(&text, room, "")
    };
    let gutter = colored(Color::Magenta).apply_to(GUTTER);
    lines.iter().map(|line| format!("{gutter}{line}")).collect()
}

/// Formats the host's text after a mark.
fn marked(mark: &str, text: &str, width: usize, style: &Style) -> Vec<String> {
    let indent = mark.chars().count();
    let lines = wrapped(&visible(text), width - indent, "");
    let marks = once(mark.to_owned()).chain(repeat(" ".repeat(indent)));
    let lines = marks.zip(lines).map(|(mark, line)| mark + &line);
    lines.map(|line| style.apply_to(line).to_string()).collect()
}

/// Formats a part of a card without a Markdown layout.
fn part(text: &str, width: usize, style: &Style) -> Vec<String> {
    if text.is_empty() {
        return Vec::new();
    }
    let lines = wrapped(&visible(text), width, GOES_ON).into_iter();
    lines.map(|line| style.apply_to(line).to_string()).collect()
}

/// Draws a plan in a frame that is as wide as its text.
fn framed(card: &Card, width: usize) -> Vec<String> {
    let room = width - 4;
    let head = card.heading();
    let parts = [
        part(&head, room, &plain().bold()),
        // The body is not laid out: a person approves exactly these characters, and a layout would omit some of them.
        part(&card.body, room, &plain()),
        part(&card.commands.join("\n"), room, &colored(Color::Green)),
    ];
    let widths = parts.iter().flatten().map(|line| measure_text_width(line));
    let inner = widths.max().unwrap_or(0);
    let blue = colored(Color::Blue);
    let rule = |left, right| {
        let line = format!("{left}{}{right}", "─".repeat(inner + 2));
        blue.apply_to(line).to_string()
    };
    let side = blue.apply_to("│");
    let mut drawn = Vec::new();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        let ends = if drawn.is_empty() {
            ('╭', '╮')
        } else {
            ('├', '┤')
        };
        drawn.push(rule(ends.0, ends.1));
        drawn.extend(part.iter().map(|line| {
            let gap = " ".repeat(inner - measure_text_width(line));
            format!("{side} {line}{gap} {side}")
        }));
    }
    drawn.push(rule('╰', '╯'));
    drawn
}

#[cfg(test)]
mod tests {
    use console::strip_ansi_codes;
    use proptest::prelude::*;

    use super::super::layout::widest;
    use super::*;

    /// Returns the letters of a text in alphabetical order. The cells of a table are next to each other, so the letters
    /// are not in the order of the text.
    fn letters(text: &str) -> String {
        let mut letters: Vec<char> = text.chars().filter(|one| one.is_alphanumeric()).collect();
        letters.sort_unstable();
        letters.into_iter().collect()
    }

    #[test]
    fn an_answer_above_the_limit_is_shown_as_it_is() {
        let shown = |text: &str| {
            let lines = behind_gutter(text, 80);
            let lines = lines.iter().map(|line| strip_ansi_codes(line).into_owned());
            lines.collect::<String>()
        };
        let stars = |text: &str| text.matches('*').count();
        let long = "*a* ".repeat(LONGEST_LAID_OUT / 4 + 1);
        assert_eq!(stars(&shown(&long)), stars(&long));
        let longest = "*a* ".repeat(LONGEST_LAID_OUT / 4);
        for text in [longest, "*a* ".repeat(10)] {
            let letters_of = letters(&text);
            let shown = shown(&text);
            assert_eq!(stars(&shown), 0, "{} bytes", text.len());
            assert_eq!(letters(&shown), letters_of);
        }
        assert_eq!(LONGEST_LAID_OUT, 32 << 10, "see docs/security.md");
    }

    proptest! {
        #[test]
        fn every_answer_can_be_laid_out_at_every_width(
            text in "([|*>#`a:1.) \n~!<\\[\\]&;\\\\_-]|\\| |\\* |\\|12\\. |\n\\||\n\\|-\\|-\\|\n|\n\n|\n- |\n> |漢|\\]\\(b|\\]: c|&#27;|\u{1b}){0,60}",
            width in 0_usize..40,
        ) {
            let width = width.max(NARROWEST);
            let lines = behind_gutter(&text, width);
            let shown: Vec<String> = lines.iter().map(|line| strip_ansi_codes(line).into_owned()).collect();
            prop_assert!(shown.iter().all(|line| line.starts_with(GUTTER) && widest(line) <= width), "{shown:#?}");
            let shown = shown.concat();
            prop_assert!(!shown.contains(char::is_control), "{shown:?}");
            prop_assert_eq!(letters(&shown), letters(&visible_answer(&text)));
        }
    }
}
