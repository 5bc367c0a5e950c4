//! Text from a file with the position of each of its characters, even if YAML folded or escaped the text.

use std::cell::Cell;

use crate::source::{FileId, Span};

/// Text and the position of each of its bytes.
#[derive(Clone, Debug)]
pub struct Located<'a> {
    /// The text, as decoded by its format.
    pub text: &'a str,
    file: FileId,
    offsets: Offsets,
    /// The number of tokens that were read from the text.
    tokens: Cell<usize>,
}

#[derive(Clone, Debug)]
enum Offsets {
    /// The file contains the text unchanged, starting at this byte.
    Shift(usize),
    /// The position of every byte, and of the end.
    Table(Vec<u32>),
}

impl<'a> Located<'a> {
    /// Returns text that was decoded from `source`, which starts at byte `start` of the file.
    ///
    /// If the text differs from its source (because of quotes, escapes or folded lines), each character of the text is
    /// looked up in the source, skipping whatever the format added in between.
    #[must_use]
    pub fn new(text: &'a str, file: FileId, source: &str, start: usize) -> Self {
        let offsets = match source.find(text) {
            Some(at) if !text.is_empty() => Offsets::Shift(start + at),
            _ => Offsets::Table(align(text, source, start)),
        };
        Self {
            text,
            file,
            offsets,
            tokens: Cell::new(0),
        }
    }

    /// Returns text with the position of each of its bytes, and of its end.
    #[must_use]
    pub(in crate::syntax) fn mapped(text: &'a str, file: FileId, offsets: Vec<u32>) -> Self {
        debug_assert_eq!(offsets.len(), text.len() + 1);
        Self {
            text,
            file,
            offsets: Offsets::Table(offsets),
            tokens: Cell::new(0),
        }
    }

    /// Returns a part of the text.
    #[must_use]
    pub fn part(&self, start: usize, end: usize) -> Located<'a> {
        let offsets = match &self.offsets {
            Offsets::Shift(base) => Offsets::Shift(base + start),
            Offsets::Table(table) => Offsets::Table(table[start..=end].to_vec()),
        };
        Self {
            text: &self.text[start..end],
            file: self.file,
            offsets,
            tokens: Cell::new(0),
        }
    }

    /// Returns the number of tokens that were read from the text.
    pub(in crate::syntax) fn tokens(&self) -> usize {
        self.tokens.get()
    }

    /// Counts tokens that were read from the text.
    pub(super) fn count_tokens(&self, tokens: usize) {
        self.tokens.set(self.tokens.get().saturating_add(tokens));
    }

    /// Returns the span of the text's bytes `start..end`.
    #[must_use]
    pub fn span(&self, start: usize, end: usize) -> Span {
        match &self.offsets {
            Offsets::Shift(base) => Span::new(self.file, base + start, base + end),
            Offsets::Table(table) => {
                let last = table.len() - 1;
                let from = table[start.min(last)] as usize;
                let to = table[end.min(last)] as usize;
                Span::new(self.file, from, to)
            }
        }
    }
}

/// Returns, for each byte of `text` and for its end, the byte of the file it came from.
fn align(text: &str, source: &str, start: usize) -> Vec<u32> {
    let mut table = Vec::with_capacity(text.len() + 1);
    let mut rest = source.char_indices().peekable();
    let mut place = 0;
    let escapes = source.starts_with('"');
    for wanted in text.chars() {
        // Skip whatever the format added: quotes, indentation, line breaks and escapes.
        while let Some((at, found)) = rest.peek().copied() {
            place = at;
            if escapes && found == '\\' && source[at..].len() > 1 {
                let length = escape_length(&source[at..]);
                rest.by_ref().take(length).for_each(drop);
                if length > 2 || !source[at + 1..].starts_with(['\n', '\r']) {
                    break;
                }
                // An escaped line break does not represent a character.
                continue;
            }
            if found == wanted || (wanted == ' ' && found == '\n') {
                rest.next();
                break;
            }
            if found.is_whitespace() || matches!(found, '"' | '\'' | '\\' | '|' | '>' | '-' | '+') {
                rest.next();
            } else {
                break;
            }
        }
        let offset = u32::try_from(start + place).unwrap_or(u32::MAX);
        table.extend(std::iter::repeat_n(offset, wanted.len_utf8()));
    }
    let end = rest.peek().map_or(source.len(), |(at, _)| *at);
    table.push(u32::try_from(start + end).unwrap_or(u32::MAX));
    table
}

/// Returns the length in characters of an escape in a double-quoted scalar.
fn escape_length(escape: &str) -> usize {
    match escape.chars().nth(1) {
        Some('x') => 4,
        Some('u') => 6,
        Some('U') => 10,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_text_is_found_as_it_is() {
        let text = Located::new("a or b", FileId(0), "a or b", 10);
        let span = text.span(5, 6);
        assert_eq!((span.start, span.end), (15, 16));
    }

    #[test]
    fn folded_lines_keep_their_places() {
        let source = "a or\n      bcd";
        let text = Located::new("a or bcd", FileId(0), source, 0);
        assert_eq!(text.span(5, 8).start, 11);
    }

    #[test]
    fn escapes_that_stand_for_something_else_keep_the_places_behind_them() {
        for source in [
            r#""a\tb {nope}""#,
            r#""a\u00e9b {nope}""#,
            r#""a\x41b {nope}""#,
            "\"a\\nb {nope}\"",
        ] {
            let decoded = ["a\tb {nope}", "aéb {nope}", "aAb {nope}", "a\nb {nope}"];
            let text = decoded.into_iter().find(|text| {
                let located = Located::new(text, FileId(0), source, 0);
                let start = text.find("nope").unwrap_or_default();
                let span = located.span(start, start + 4);
                source.get(span.start as usize..span.end as usize) == Some("nope")
            });
            assert!(text.is_some(), "{source}");
        }
    }

    #[test]
    fn escapes_keep_the_places_around_them() {
        let source = r#""x \"{title}\"""#;
        let text = Located::new("x \"{title}\"", FileId(0), source, 0);
        assert_eq!(&source[text.span(4, 9).start as usize..][..5], "title");
    }
}
