//! Handles the events of the Markdown parser.

use std::mem::take;
use std::ops::Range;

use console::Style;
use pulldown_cmark::{CodeBlockKind, Event, Tag, TagEnd};

use super::super::layout::widest;
use super::super::style;
use super::blocks::{CodeBlock, Layout};
use super::inline::fenced;
use super::links::Link;
use super::table::{Table, room_of_cells};

/// The maximum number of characters that are read to find out whether a word begins or ends.
const MOST_PUNCTUATION: usize = 8;

/// Returns whether a word begins after this text.
fn begins_word(before: &str) -> bool {
    let mut near = before.chars().rev().take(MOST_PUNCTUATION);
    let letter = near.find(|letter| !"([{<\"'*_~".contains(*letter));
    letter.is_none_or(|letter| letter.is_whitespace() || letter == '|' || !letter.is_ascii())
}

/// Returns whether a word ends before this text.
fn ends_word(after: &str) -> bool {
    let mut near = after.chars().take(MOST_PUNCTUATION);
    let letter = near.find(|letter| !".,;:!?)}>\"'*_~".contains(*letter));
    letter
        .is_none_or(|letter| letter.is_whitespace() || "|]".contains(letter) || !letter.is_ascii())
}

impl Layout<'_> {
    /// Adds an event to the current block.
    pub(super) fn add(&mut self, event: Event<'_>, range: &Range<usize>) {
        if self.open.is_as_written {
            return;
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => {
                self.end(tag, range);
                self.read_to(range.end);
            }
            Event::Rule => {
                self.next_block(range.start);
                self.open.has_rule = true;
                self.show_wrapped(&"─".repeat(self.room()), &style::plain().dim());
                self.read_to(range.end);
            }
            inline => {
                self.add_inline(&inline, range);
                self.read_to(range.end);
            }
        }
    }

    fn add_inline(&mut self, event: &Event<'_>, range: &Range<usize>) {
        let written = &self.source[range.clone()];
        if let (Some(code), Event::Text(text)) = (&mut self.open.code, event) {
            code.text.push_str(text);
            return;
        }
        match event {
            // A character that is written as a number or a name is shown as written, because it may be invisible.
            Event::Text(_) if written.starts_with('&') && written.ends_with(';') => {
                self.push(written);
            }
            Event::Code(code) => {
                let shown = fenced(code);
                self.open.inline.push(&shown, &style::code());
            }
            Event::TaskListMarker(_) => self.push(&format!("{} ", written.trim())),
            Event::SoftBreak | Event::HardBreak => {
                self.push("\n");
                self.keep_indent(range.end);
            }
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.push(text),
            // The parser's options turn all other kinds of events off. If such an event occurs nevertheless, its source
            // is shown as written.
            _ => self.push(written),
        }
    }

    /// Keeps the blanks at the start of a line, except in lists and quotes, where they may belong to the mark.
    fn keep_indent(&mut self, start: usize) {
        if self.open.containers.is_empty() {
            let line = &self.source[start..];
            let indent = line.len() - line.trim_start_matches(' ').len();
            self.push(&line[..indent]);
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        match tag {
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough => {
                self.show_mark_in_word(tag.to_end(), range);
                self.change_style(match tag {
                    Tag::Emphasis => Style::italic,
                    Tag::Strong => Style::bold,
                    _ => Style::strikethrough,
                });
            }
            Tag::TableHead => self.change_style(Style::bold),
            Tag::Link {
                link_type,
                dest_url,
                title,
                id,
            }
            | Tag::Image {
                link_type,
                dest_url,
                title,
                id,
            } => {
                let start = self.open.inline.text().len();
                let link = Link::new(link_type, &dest_url, &title, &id, start);
                self.push(link.begin());
                self.open.links.push(link);
            }
            Tag::TableRow | Tag::TableCell => {}
            block => {
                self.next_block(range.start);
                self.start_block(block, range);
            }
        }
    }

    /// Shows the mark of emphasis inside a word, because `2*3*4` does not mean that the 3 is important, and the marks in
    /// `src/*.rs tests/*.rs` belong to names of files.
    fn show_mark_in_word(&mut self, tag: TagEnd, range: &Range<usize>) {
        let (before, after) = (&self.source[..range.start], &self.source[range.end..]);
        if !(begins_word(before) && ends_word(after)) {
            let written = &self.source[range.clone()];
            let is_double = tag == TagEnd::Strong || written.starts_with("~~");
            self.push(&written[..if is_double { 2 } else { 1 }]);
        }
    }

    fn start_block(&mut self, block: Tag<'_>, range: &Range<usize>) {
        match block {
            Tag::Heading { .. } => self.open.styles.push(style::heading()),
            Tag::BlockQuote(_) => {
                let bar = style::plain().dim().apply_to("▐");
                self.enter(None, format!("{bar} "), 2);
            }
            Tag::Item => {
                let mark = mark_of(&self.source[range.clone()]);
                let width = widest(&mark);
                let shown = mark.replace('•', &style::plain().dim().apply_to("•").to_string());
                self.enter(Some(shown), " ".repeat(width), width);
            }
            Tag::CodeBlock(kind) => {
                let info = match kind {
                    CodeBlockKind::Fenced(info) => Some(info.to_string()),
                    CodeBlockKind::Indented => None,
                };
                let text = String::new();
                self.open.code = Some(CodeBlock { info, text });
            }
            Tag::Table(alignments) => {
                // A short text can contain a table with very many empty cells, so the cells of a table that cannot fit
                // are not laid out.
                self.open.is_as_written |= room_of_cells(alignments.len(), self.room()).is_none();
                self.open.table = Some(Table::new(alignments));
                self.open.has_table = true;
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: &Range<usize>) {
        match tag {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.open.styles.pop();
                self.show_mark_in_word(tag, range);
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::Heading(_) => {
                self.flush();
                self.open.styles.pop();
            }
            TagEnd::Item | TagEnd::BlockQuote(_) => {
                self.flush();
                let last = self.open.containers.last();
                if last.is_some_and(|one| one.mark.is_some()) {
                    self.show("");
                }
                if let Some(container) = self.open.containers.pop() {
                    self.open.indent -= container.width;
                }
            }
            TagEnd::CodeBlock => {
                if let Some(code) = self.open.code.take() {
                    self.show_code(&code);
                }
            }
            TagEnd::TableCell | TagEnd::TableHead | TagEnd::TableRow | TagEnd::Table => {
                self.end_in_table(tag);
            }
            _ => self.flush(),
        }
    }

    fn end_link(&mut self) {
        let Some(link) = self.open.links.pop() else {
            return;
        };
        match link.after(self.open.inline.text()) {
            Ok(after) => self.push(&after),
            Err(address) => self.open.omitted.push_str(&address),
        }
    }

    fn end_in_table(&mut self, tag: TagEnd) {
        if tag == TagEnd::TableHead {
            self.open.styles.pop();
        }
        let Some(mut table) = self.open.table.take() else {
            return;
        };
        match tag {
            TagEnd::TableCell => table.add_cell(take(&mut self.open.inline)),
            TagEnd::Table => match table.laid_out(self.room()) {
                Some(lines) => {
                    for line in lines {
                        self.show(&line);
                    }
                }
                None => self.open.is_as_written = true,
            },
            _ => table.end_row(),
        }
        if tag != TagEnd::Table {
            self.open.table = Some(table);
        }
    }
}

/// Returns the mark of an item. A number stays as written, even if it is not the next one.
fn mark_of(item: &str) -> String {
    let item = item.trim_start();
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    match item[digits..].chars().next().filter(|_| digits > 0) {
        Some(end) => format!("{}{end} ", &item[..digits]),
        None => "• ".to_owned(),
    }
}
