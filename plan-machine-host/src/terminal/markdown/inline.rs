//! Text with styles.

use std::fmt::Write as _;
use std::ops::Range;

use console::Style;
use plan_machine::visible::visible;

use super::super::layout::{parts, widest};

/// Text with styles. It can have several lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Inline {
    text: String,
    /// Parts of the text with the same style: where each part ends, and its style.
    spans: Vec<(usize, Style)>,
}

/// A line of the wrapped text, with its styles.
pub(super) struct StyledLine {
    pub(super) text: String,
    /// The width of the line in columns.
    pub(super) width: usize,
}

impl Inline {
    /// Adds text. Control characters are escaped here too, because a character can be written as a number in Markdown.
    pub(super) fn push(&mut self, text: &str, style: &Style) {
        self.text.push_str(&visible(text));
        match self.spans.last_mut() {
            Some((end, last)) if last == style => *end = self.text.len(),
            _ => self.spans.push((self.text.len(), style.clone())),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the width of the widest line in columns.
    pub(super) fn width(&self) -> usize {
        self.text.split('\n').map(widest).max().unwrap_or(0)
    }

    /// Wraps the text to a number of columns. No style extends from one line to the next.
    pub(super) fn wrapped(&self, width: usize) -> Vec<StyledLine> {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in self.text.trim_end().split('\n') {
            let shown = parts(line, width, width).into_iter();
            lines.extend(shown.map(|part| self.styled(start + part.start..start + part.end)));
            start += line.len() + 1;
        }
        lines
    }

    fn styled(&self, range: Range<usize>) -> StyledLine {
        let first = self.spans.partition_point(|(end, _)| *end <= range.start);
        let mut text = String::new();
        let mut start = range.start;
        for (end, style) in &self.spans[first..] {
            let end = range.end.min(*end);
            if start >= end {
                break;
            }
            // Writing to a string cannot fail.
            let _ = write!(text, "{}", style.apply_to(&self.text[start..end]));
            start = end;
        }
        StyledLine {
            text,
            width: widest(&self.text[range]),
        }
    }
}

/// Returns code with backticks around it. A person who types the code that was shown must see where it ends.
pub(super) fn fenced(code: &str) -> String {
    let ticks = ticks_around(code, 1);
    let touches = code.starts_with('`') || code.ends_with('`');
    let gap = if touches { " " } else { "" };
    format!("{ticks}{gap}{code}{gap}{ticks}")
}

/// Returns a row of backticks that is longer than every row of backticks in the code, with at least `least` backticks.
pub(super) fn ticks_around(code: &str, least: usize) -> String {
    let runs = code.split(|letter| letter != '`').map(str::len);
    let longest = runs.max().unwrap_or(0);
    "`".repeat(least.max(longest + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_was_decoded_is_visible() {
        let mut inline = Inline::default();
        inline.push("\u{1b}[2J\u{202e}", &Style::new());
        assert_eq!(inline.text(), "‹U+001B›[2J‹U+202E›");
    }
}
