//! Source locations: files, spans within files, and values with their spans.

use std::sync::Arc;

/// The id of a file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileId(pub u32);

/// A range of bytes in one file.
///
/// Two spans always compare equal: syntax trees are compared by content, not by position, so that the same spec written
/// in YAML and in Rust gives equal trees.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The offset of the first byte.
    pub start: u32,
    /// The offset of the byte after the last one.
    pub end: u32,
}

impl PartialEq for Span {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

impl Span {
    /// Returns a span of `file` from byte `start` up to byte `end`.
    #[must_use]
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self {
            file,
            start: clamp(start),
            end: clamp(end.max(start)),
        }
    }

    /// Returns the span from the start of this span to the end of `other`.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self {
            file: self.file,
            start: self.start,
            end: other.end.max(self.start),
        }
    }

    /// Returns a key that sorts spans in source order.
    #[must_use]
    pub fn order(self) -> (u32, u32, u32) {
        (self.file.0, self.start, self.end)
    }
}

/// A value with its location in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub node: T,
    /// The location where the value was written.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Returns `node`, written at `span`.
    pub fn new(node: T, span: Span) -> Self {
        Self { node, span }
    }

    /// Converts the value, keeping its span.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned::new(change(self.node), self.span)
    }
}

impl Spanned<String> {
    /// Returns the value as a string slice.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.node
    }
}

/// One file: its name as the user typed it and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: Arc<str>,
    text: Arc<str>,
    line_starts: Vec<u32>,
}

/// A line and a column, both counted from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl SourceFile {
    /// Returns the name shown for the file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the whole text of the file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the line and column of a byte offset.
    #[must_use]
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts[line.saturating_sub(1)] as usize;
        let end = (offset as usize).min(self.text.len());
        let before = self.text.get(start..end).unwrap_or("");
        Position {
            line: line.max(1),
            column: before.chars().count() + 1,
        }
    }
}

/// All files of one compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file and returns its id.
    pub fn add(&mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> FileId {
        let text: Arc<str> = text.into();
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0)
            .chain(breaks.map(|(at, _)| u32::try_from(at + 1).unwrap_or(u32::MAX)))
            .collect();
        self.files.push(SourceFile {
            name: name.into(),
            text,
            line_starts,
        });
        FileId(u32::try_from(self.files.len() - 1).unwrap_or(u32::MAX))
    }

    /// Returns the file with the given id, which must come from this map.
    #[must_use]
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// Returns all files, in the order in which they were added.
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Returns the text that a span covers.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        let text = self.file(span.file).text();
        text.get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let mut map = SourceMap::default();
        let id = map.add("a.yaml", "é: 1\nb: 2\n");
        let file = map.file(id);
        assert_eq!(file.position(0), Position { line: 1, column: 1 });
        assert_eq!(file.position(2), Position { line: 1, column: 2 });
        assert_eq!(file.position(6), Position { line: 2, column: 1 });
        assert_eq!(file.position(999).line, 3);
    }

    #[test]
    fn a_span_slices_its_own_file() {
        let mut map = SourceMap::default();
        let id = map.add("a.yaml", "plan_on: READY");
        assert_eq!(map.slice(Span::new(id, 9, 14)), "READY");
    }
}
