//! Blocks of Markdown, line by line.

use std::mem::take;
use std::ops::Range;

use console::Style;
use plan_machine::visible::visible;

use super::super::layout::wrapped;
use super::super::style;
use super::inline::{Inline, ticks_around};
use super::letters::{has_letters, is_kept, is_kept_in_tables, shows_all};
use super::links::Link;
use super::table::Table;

/// The minimum width of text in lists and quotes, in columns.
const NARROWEST_TEXT: usize = 4;

/// Lines that are being laid out.
pub(super) struct Layout<'t> {
    pub(super) source: &'t str,
    width: usize,
    lines: Vec<String>,
    /// The position after the last outermost block.
    block_end: usize,
    /// The number of lines before the current outermost block.
    lines_before: usize,
    /// The position up to which the source was read. Blank lines after it have not been shown yet.
    read: usize,
    /// The parts of the current outermost block that are being read.
    pub(super) open: Open,
}

/// The parts of a block that are being read.
#[derive(Default)]
pub(super) struct Open {
    pub(super) containers: Vec<Container>,
    /// The width of all containers, in columns.
    pub(super) indent: usize,
    pub(super) inline: Inline,
    /// The styles of the text, innermost last.
    pub(super) styles: Vec<Style>,
    pub(super) links: Vec<Link>,
    pub(super) code: Option<CodeBlock>,
    pub(super) table: Option<Table>,
    /// Addresses that were not shown because the text of the link is the same.
    pub(super) omitted: String,
    /// Whether the block has a table, whose surplus cells the parser drops.
    pub(super) has_table: bool,
    /// Whether the block has a horizontal rule.
    pub(super) has_rule: bool,
    /// Whether the block is shown as written, because it does not fit.
    pub(super) is_as_written: bool,
}

/// An item of a list, or a quote.
pub(super) struct Container {
    /// The mark of an item whose first line has not been shown yet.
    pub(super) mark: Option<String>,
    /// The text with which every line without a mark begins.
    pub(super) begin: String,
    pub(super) width: usize,
}

/// A code block that is being read.
pub(super) struct CodeBlock {
    /// The text after the fence, or `None` if the block is only indented.
    pub(super) info: Option<String>,
    pub(super) text: String,
}

impl<'t> Layout<'t> {
    pub(super) fn new(source: &'t str, width: usize) -> Self {
        Self {
            source,
            width,
            lines: Vec::new(),
            block_end: 0,
            lines_before: 0,
            read: 0,
            open: Open::default(),
        }
    }

    /// Begins an outermost block.
    pub(super) fn begin_block(&mut self, range: &Range<usize>) {
        self.show_between(range.start);
        self.block_end = range.end;
        self.space(range.start);
        self.lines_before = self.lines.len();
    }

    /// Ends an outermost block. If the layout does not show all of it, the block is shown as written.
    pub(super) fn end_block(&mut self, range: &Range<usize>) {
        let open = take(&mut self.open);
        let written = &self.source[range.clone()];
        let shown = &self.lines[self.lines_before..];
        let is_kept = if open.has_table {
            is_kept_in_tables
        } else {
            is_kept
        };
        let is_good =
            !open.is_as_written && shows_all(shown, written, &open.omitted, self.width, is_kept);
        // A rule has no letters. Other blocks without letters, such as an empty item, would show only marks that we added.
        if !is_good || !(open.has_rule || has_letters(written)) {
            self.lines.truncate(self.lines_before);
            self.lines.extend(wrapped(written, self.width, ""));
        }
        self.read_to(range.end);
    }

    pub(super) fn into_lines(mut self) -> Vec<String> {
        self.show_between(self.source.len());
        self.lines
    }

    /// Shows the text between the last block and the next one: definitions of links, which are not part of any block.
    fn show_between(&mut self, next: usize) {
        let between = &self.source[self.block_end..next.max(self.block_end)];
        let written = between.trim();
        if !written.is_empty() {
            let start = self.block_end + between.len() - between.trim_start().len();
            self.space(start);
            self.lines.extend(wrapped(written, self.width, ""));
            self.read_to(start + written.len());
        }
    }

    /// Adds text in the current style.
    pub(super) fn push(&mut self, text: &str) {
        let style = self.style();
        self.open.inline.push(text, &style);
    }

    /// Begins text in a style that is derived from the current one.
    pub(super) fn change_style(&mut self, change: impl Fn(Style) -> Style) {
        self.open.styles.push(change(self.style()));
    }

    fn style(&self) -> Style {
        let current = self.open.styles.last();
        current.cloned().unwrap_or_else(style::plain)
    }

    /// Enters a list item or quote.
    pub(super) fn enter(&mut self, mark: Option<String>, begin: String, width: usize) {
        self.open.indent += width;
        self.open.is_as_written |= self.open.indent + NARROWEST_TEXT > self.width;
        self.open.containers.push(Container { mark, begin, width });
    }

    /// Returns the number of columns that the containers leave for text.
    pub(super) fn room(&self) -> usize {
        self.width.saturating_sub(self.open.indent)
    }

    /// Ends the text before a block, and keeps a blank line before the block.
    pub(super) fn next_block(&mut self, start: usize) {
        self.flush();
        self.space(start);
    }

    /// Shows a blank line if there is one in the source before this position.
    fn space(&mut self, start: usize) {
        let between = self.source.get(self.read..start).unwrap_or_default();
        let has_blank = between.bytes().filter(|byte| *byte == b'\n').count() > 1;
        let is_first = self.open.containers.iter().any(|one| one.mark.is_some());
        if has_blank && !is_first && !self.lines.is_empty() {
            self.show("");
        }
        self.read = self.read.max(start);
    }

    /// Records that the source was read up to a position, except for blanks before it.
    pub(super) fn read_to(&mut self, end: usize) {
        let unread = self.source.get(self.read..end).unwrap_or_default();
        self.read += unread.trim_end().len();
    }

    /// Shows the text that was read.
    pub(super) fn flush(&mut self) {
        let inline = take(&mut self.open.inline);
        if !inline.text().is_empty() {
            for line in inline.wrapped(self.room()) {
                self.show(&line.text);
            }
        }
    }

    pub(super) fn show_code(&mut self, code: &CodeBlock) {
        let text = &code.text;
        let Some(info) = &code.info else {
            let indented: Vec<String> = text.lines().map(|line| format!("    {line}")).collect();
            self.show_wrapped(&indented.join("\n"), &style::plain());
            return;
        };
        let fence = ticks_around(text, 3);
        let dim = style::plain().dim();
        self.show_wrapped(&format!("{fence}{info}"), &dim);
        if !text.trim().is_empty() {
            self.show_wrapped(text, &style::plain());
        }
        self.show_wrapped(&fence, &dim);
    }

    /// Shows text in one style. Control characters are escaped again, because the parser may have decoded them from the
    /// source.
    pub(super) fn show_wrapped(&mut self, text: &str, style: &Style) {
        for line in wrapped(&visible(text), self.room(), "") {
            self.show(&style.apply_to(line).to_string());
        }
    }

    /// Shows a line after the marks of its containers.
    pub(super) fn show(&mut self, line: &str) {
        let mut shown = String::new();
        for container in &mut self.open.containers {
            let mark = container.mark.take();
            shown.push_str(&mark.unwrap_or_else(|| container.begin.clone()));
        }
        shown.push_str(line);
        self.lines.push(shown.trim_end().to_owned());
    }
}
