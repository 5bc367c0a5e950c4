//! Prints lines with indentation, and breaks anything that does not fit on one line.

use std::fmt::Write as _;

use crate::syntax::ast::{Name, Path};

/// The maximum line width, unless something cannot be broken.
const WIDTH: usize = 100;
const INDENT: usize = 4;

/// The text being written.
#[derive(Default)]
pub(super) struct Page {
    text: String,
    indent: usize,
}

/// A piece of output that is printed on one line if it fits.
pub(super) enum Piece {
    /// Text without line breaks.
    Text(String),
    /// Text with several lines, each printed on a separate line.
    Block(String),
    /// Items in brackets.
    List(char, Vec<Piece>, char),
    /// Parts separated by spaces.
    Row(Vec<Piece>),
    /// Some words, followed by a piece.
    Behind(String, Box<Piece>),
    /// A doc comment, followed by the piece that it documents.
    Documented(Name, Box<Piece>),
}

impl Piece {
    /// Returns the whole piece on one line, without docs; line breaks in strings are escaped.
    pub(super) fn one_line(&self) -> String {
        let each = |pieces: &[Piece], between: &str| {
            let lines: Vec<String> = pieces.iter().map(Piece::one_line).collect();
            lines.join(between)
        };
        match self {
            Piece::Text(text) => text.clone(),
            Piece::Block(text) => quoted(text),
            Piece::List(open, items, close) => in_brackets(*open, &each(items, ", "), *close),
            Piece::Row(parts) => each(parts, " "),
            Piece::Behind(words, piece) => format!("{words}{}", piece.one_line()),
            Piece::Documented(_, piece) => piece.one_line(),
        }
    }

    /// Returns the whole piece on one line, if possible.
    fn flat(&self) -> Option<String> {
        Some(match self {
            Piece::Text(text) => text.clone(),
            Piece::Block(_) | Piece::Documented(..) => return None,
            Piece::List(open, items, close) => {
                let items: Option<Vec<String>> = items.iter().map(Piece::flat).collect();
                in_brackets(*open, &items?.join(", "), *close)
            }
            Piece::Row(parts) => {
                let parts: Option<Vec<String>> = parts.iter().map(Piece::flat).collect();
                parts?.join(" ")
            }
            Piece::Behind(words, piece) => format!("{words}{}", piece.flat()?),
        })
    }
}

/// Prints items between their brackets, with spaces inside braces.
fn in_brackets(open: char, items: &str, close: char) -> String {
    let blank = if open == '{' && !items.is_empty() {
        " "
    } else {
        ""
    };
    format!("{open}{blank}{items}{blank}{close}")
}

impl Page {
    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Prints an empty line, unless the previous line is empty or starts a block, or nothing has been printed yet.
    pub(super) fn gap(&mut self) {
        let there = self.text.is_empty() || self.text.ends_with("\n\n");
        if !there && !self.text.ends_with("{\n") {
            self.text.push('\n');
        }
    }

    fn margin(&mut self) {
        self.text.extend(std::iter::repeat_n(' ', self.indent));
    }

    pub(super) fn line(&mut self, text: &str) {
        self.margin();
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Prints `key a, b;`, or nothing if there are no names.
    pub(super) fn names(&mut self, key: &str, names: &[String]) {
        if !names.is_empty() {
            self.line(&format!("{key} {};", names.join(", ")));
        }
    }

    pub(super) fn doc(&mut self, doc: Option<&Name>) {
        let Some(doc) = doc else { return };
        for line in doc.node.split('\n') {
            if line.chars().any(|c| c.is_control() && c != '\t') {
                self.line(&format!("#[doc = {}]", quoted(&format!(" {line}"))));
            } else {
                self.line(format!("/// {line}").trim_end_matches(' '));
            }
        }
    }

    /// Prints a statement, breaking it across lines if it does not fit.
    pub(super) fn statement(&mut self, piece: &Piece, end: &str) {
        self.margin();
        self.put(piece, end.len());
        self.text.push_str(end);
        self.text.push('\n');
    }

    /// Prints `head { … }`, or `head;` if the block is empty.
    pub(super) fn block(&mut self, head: &str, write: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        let empty = self.text.len();
        self.indent += INDENT;
        write(self);
        self.indent -= INDENT;
        if self.text.len() == empty {
            self.text.truncate(empty - " {\n".len());
            self.text.push_str(";\n");
        } else {
            self.line("}");
        }
    }

    /// Prints `head { … }`, even if the block is empty.
    pub(super) fn always_block(&mut self, head: &str, write: impl FnOnce(&mut Self)) {
        self.between(&format!("{head} {{"), write, "}");
    }

    /// Prints `head [ … ]`.
    pub(super) fn alternatives(&mut self, head: &str, write: impl FnOnce(&mut Self)) {
        self.between(&format!("{head} ["), write, "]");
    }

    fn between(&mut self, head: &str, write: impl FnOnce(&mut Self), end: &str) {
        self.line(head);
        self.indent += INDENT;
        write(self);
        self.indent -= INDENT;
        self.line(end);
    }

    fn column(&self) -> usize {
        let line = self.text.rsplit('\n').next().unwrap_or("");
        line.chars().count()
    }

    /// Writes a piece that is followed by `behind` more characters on the same line.
    fn put(&mut self, piece: &Piece, behind: usize) {
        if let Some(flat) = piece.flat()
            && self.column() + flat.chars().count() + behind <= WIDTH
        {
            self.text.push_str(&flat);
            return;
        }
        match piece {
            Piece::Text(text) => self.text.push_str(text),
            Piece::Block(text) => self.lines(text),
            Piece::List(open, items, close) => {
                self.text.push(*open);
                for item in items {
                    self.next_line(INDENT, |page| page.put(item, 1));
                    self.text.push(',');
                }
                self.next_line(0, |page| page.text.push(*close));
            }
            Piece::Row(parts) => {
                for (at, part) in parts.iter().enumerate() {
                    if at == 0 {
                        self.put(part, 1);
                    } else {
                        self.next_line(INDENT, |page| page.put(part, 1));
                    }
                }
            }
            Piece::Behind(words, piece) => {
                self.text.push_str(words);
                self.put(piece, behind);
            }
            Piece::Documented(doc, piece) => {
                let start = self.text.trim_end_matches(' ').len();
                self.text.truncate(start);
                self.doc(Some(doc));
                self.margin();
                self.put(piece, behind);
            }
        }
    }

    fn next_line(&mut self, deeper: usize, write: impl FnOnce(&mut Self)) {
        self.indent += deeper;
        self.text.push('\n');
        self.margin();
        write(self);
        self.indent -= deeper;
    }

    /// Prints a multi-line string: each of its lines is on a separate line between the quotes.
    fn lines(&mut self, text: &str) {
        self.text.push('"');
        self.indent += INDENT;
        for line in text.split('\n') {
            self.text.push('\n');
            if !line.is_empty() {
                self.margin();
                self.text.push_str(&escaped(line));
            }
        }
        self.indent -= INDENT;
        self.next_line(0, |page| page.text.push('"'));
    }
}

/// Prints a quoted string. Its lines are printed on separate lines if there are several and if this does not change the
/// text.
pub(super) fn text_piece(text: &str) -> Piece {
    let harmless = |line: &str| {
        let blanks = [' ', '\t'];
        !line.ends_with(blanks) && !line.chars().any(|c| c.is_control() && c != '\t')
    };
    let lines = || text.split('\n');
    let at_the_margin = |line: &str| !line.is_empty() && !line.starts_with(char::is_whitespace);
    if text.contains('\n') && lines().all(harmless) && lines().any(at_the_margin) {
        Piece::Block(text.to_owned())
    } else {
        Piece::Text(quoted(text))
    }
}

/// Prints a string as a Rust literal.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn escaped(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => made.extend(['\\', c]),
            '\n' => made.push_str("\\n"),
            '\r' => made.push_str("\\r"),
            '\t' => made.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(made, "\\u{{{:x}}}", u32::from(c));
            }
            c => made.push(c),
        }
    }
    made
}

pub(super) fn path(path: &Path) -> String {
    words(&path.node).join(".")
}

pub(super) fn words(names: &[Name]) -> Vec<String> {
    names.iter().map(|name| name.node.clone()).collect()
}

pub(super) fn text(text: impl Into<String>) -> Piece {
    Piece::Text(text.into())
}
