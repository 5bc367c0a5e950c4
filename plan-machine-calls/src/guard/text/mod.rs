//! A lexer for any text that a shell might run. It never fails, and its work is linear in the
//! length of the text.

mod braces;
mod quotes;

use std::iter::Peekable;
use std::str::CharIndices;

use braces::{alternatives, budget};

/// A simple command as the lexer reads it.
#[derive(Debug, Default)]
pub(super) struct Piece {
    /// The words of the command, without their quotes.
    pub(super) words: Vec<String>,
    /// The files that output is redirected to.
    pub(super) writes: Vec<String>,
    /// The files that input is redirected from.
    pub(super) reads: Vec<String>,
    /// The texts that are its input, such as `x` in `sh <<< x`.
    pub(super) fed: Vec<String>,
    /// Whether its input is the output of the simple command before it.
    pub(super) is_piped: bool,
}

impl Piece {
    /// Returns the simple command with its words replaced by the texts that `fill` returns for them; a text may consist
    /// of several words. A word for which `fill` returns `None` is not changed. Returns `None` if no word is changed.
    pub(super) fn with(&self, fill: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let mut is_changed = false;
        let mut filled = |words: &[String]| {
            let mut all = Vec::with_capacity(words.len());
            for word in words {
                match fill(word) {
                    Some(text) => {
                        is_changed = true;
                        all.extend(text.split_whitespace().map(str::to_owned));
                    }
                    None => all.push(word.clone()),
                }
            }
            all
        };
        let (words, writes) = (filled(&self.words), filled(&self.writes));
        let (reads, fed) = (filled(&self.reads), filled(&self.fed));
        is_changed.then_some(Self {
            words,
            writes,
            reads,
            fed,
            is_piped: self.is_piped,
        })
    }
}

/// The commands and texts that the lexer found.
#[derive(Debug, Default)]
pub(super) struct Lexed {
    /// The simple commands, including those in substitutions and groups.
    pub(super) pieces: Vec<Piece>,
    /// The texts of here-documents.
    pub(super) bodies: Vec<String>,
    /// Quoted texts with substitutions, which contain commands.
    pub(super) nested: Vec<String>,
}

/// The role of the next word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Argument,
    Written,
    Read,
    Fed,
    Delimiter,
}

/// How a shell reads `$'…'`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DollarQuotes {
    /// As a text with escapes, as bash and zsh do.
    Escapes,
    /// As a dollar sign and a quoted text, as older versions of sh do.
    Plain,
}

/// Splits a text into simple commands.
pub(super) fn lex(text: &str, quotes: DollarQuotes) -> Lexed {
    let mut lexer = Lexer {
        text,
        quotes,
        letters: text.char_indices().peekable(),
        braces_left: budget(text),
        found: Lexed::default(),
        piece: Piece::default(),
        word: None,
        next: Next::Argument,
        delimiters: Vec::new(),
    };
    while lexer.step() {}
    lexer.end_piece();
    lexer.found
}

struct Lexer<'t> {
    text: &'t str,
    quotes: DollarQuotes,
    letters: Peekable<CharIndices<'t>>,
    /// The number of bytes to which further alternatives in braces may add up.
    braces_left: usize,
    found: Lexed,
    piece: Piece,
    word: Option<String>,
    next: Next,
    /// The delimiters of here-documents that begin on the next line.
    delimiters: Vec<String>,
}

impl Lexer<'_> {
    fn peek(&mut self) -> Option<char> {
        self.letters.peek().map(|(_, letter)| *letter)
    }

    fn skip(&mut self, letter: char) -> bool {
        self.letters.next_if(|(_, next)| *next == letter).is_some()
    }

    fn push(&mut self, letter: char) {
        self.word.get_or_insert_default().push(letter);
    }

    /// Reads one character or quote; returns whether there may be more.
    fn step(&mut self) -> bool {
        let Some((_, letter)) = self.letters.next() else {
            return false;
        };
        match letter {
            ' ' | '\t' | '\r' => self.end_word(),
            '\n' => {
                self.end_piece();
                self.bodies();
            }
            '&' if self.peek() == Some('>') => self.end_word(),
            '|' => {
                self.end_piece();
                let is_or = self.skip('|');
                self.skip('&');
                self.piece.is_piped = !is_or;
            }
            ';' | '&' | '(' | ')' | '`' => self.end_piece(),
            '<' => self.input(),
            '>' => self.output(),
            '#' if self.word.is_none() => {
                while self.peek().is_some_and(|next| next != '\n') {
                    self.letters.next();
                }
            }
            '{' if self.word.is_none() && self.peek().is_none_or(char::is_whitespace) => {
                self.end_piece();
            }
            '}' if self.word.is_none() => self.end_piece(),
            '$' if self.peek() == Some('\'') && self.quotes == DollarQuotes::Escapes => {
                self.letters.next();
                self.escapes();
            }
            '$' if matches!(self.peek(), Some('(' | '\'' | '"')) => {}
            '\'' => self.single_quotes(),
            '"' => self.double_quotes(),
            '\\' => match self.letters.next() {
                Some((_, '\n')) | None => {}
                Some((_, quoted)) => self.push(quoted),
            },
            other => self.push(other),
        }
        true
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else {
            return;
        };
        match std::mem::replace(&mut self.next, Next::Argument) {
            Next::Argument => {
                let words = alternatives(word, &mut self.braces_left);
                self.piece.words.extend(words);
            }
            Next::Written => {
                let words = alternatives(word, &mut self.braces_left);
                self.piece.writes.extend(words);
            }
            Next::Fed => self.piece.fed.push(word),
            Next::Delimiter => self.delimiters.push(word),
            Next::Read => self.piece.reads.push(word),
        }
    }

    fn end_piece(&mut self) {
        self.end_word();
        let piece = &self.piece;
        if !piece.words.is_empty() || !piece.writes.is_empty() || !piece.reads.is_empty() {
            self.found.pieces.push(std::mem::take(&mut self.piece));
        }
    }

    fn input(&mut self) {
        self.end_stream();
        self.next = if self.skip('>') {
            Next::Written
        } else if self.skip('<') {
            if self.skip('<') {
                Next::Fed
            } else {
                self.skip('-');
                Next::Delimiter
            }
        } else {
            self.skip('&');
            Next::Read
        };
    }

    fn output(&mut self) {
        self.end_stream();
        let _ = self.skip('>') || self.skip('|');
        // In zsh, `>!` also writes a file.
        self.skip('!');
        let is_stream =
            |next: Option<char>| next.is_some_and(|next| next.is_ascii_digit() || next == '-');
        // `>&2` writes to a stream, `>&file` to a file.
        self.next = if self.skip('&') && is_stream(self.peek()) {
            Next::Read
        } else {
            Next::Written
        };
    }

    /// Ends the word before a redirection, unless it is the number of a stream.
    fn end_stream(&mut self) {
        let is_stream = |word: &String| word.chars().all(|letter| letter.is_ascii_digit());
        if self.word.as_ref().is_some_and(is_stream) {
            self.word = None;
        }
        self.end_word();
    }

    /// Reads the here-documents that begin on this line.
    fn bodies(&mut self) {
        for delimiter in std::mem::take(&mut self.delimiters) {
            let start = self.letters.peek().map_or(self.text.len(), |(at, _)| *at);
            let mut end = start;
            for line in self.text[start..].split_inclusive('\n') {
                end += line.len();
                if line.trim() == delimiter {
                    break;
                }
            }
            self.found.bodies.push(self.text[start..end].to_owned());
            while self.letters.next_if(|(at, _)| *at < end).is_some() {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> Lexed {
        super::lex(text, DollarQuotes::Escapes)
    }

    fn words(text: &str) -> Vec<String> {
        let pieces = lex(text).pieces.into_iter();
        pieces.map(|piece| piece.words.join(" ")).collect()
    }

    #[test]
    fn simple_commands_are_found_wherever_they_are() {
        assert_eq!(
            words("a 'b c' && d|e; (f) & { g; }"),
            ["a b c", "d", "e", "f", "g"]
        );
        assert_eq!(words("x $(rm y) `rm z`"), ["x", "rm y", "rm z"]);
        assert_eq!(words("a # rm b\nc"), ["a", "c"]);
    }

    #[test]
    fn a_command_after_a_pipe_reads_the_output_of_the_one_before_it() {
        let piped = |text: &str| {
            let pieces = lex(text).pieces.into_iter();
            let piped = pieces.filter(|piece| piece.is_piped);
            piped.map(|piece| piece.words.join(" ")).collect::<Vec<_>>()
        };
        assert_eq!(piped("a | b |& c || d; e |\n(f) && g"), ["b", "c", "f"]);
    }

    #[test]
    fn redirections_into_files_are_found() {
        let writes = |text: &str| {
            lex(text)
                .pieces
                .into_iter()
                .flat_map(|piece| piece.writes)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            writes("a > b 2>> c >| d &> e >& f <> g"),
            ["b", "c", "d", "e", "f", "g"]
        );
        assert_eq!(writes("a 2>&1 < b <<< c"), Vec::<String>::new());
    }

    #[test]
    fn the_text_of_a_here_document_is_apart() {
        let lexed = lex("cat <<'END' > x\nrm y\nEND\nls");
        assert_eq!(lexed.bodies, ["rm y\nEND\n"]);
        assert_eq!(words("cat <<'END' > x\nrm y\nEND\nls"), ["cat", "ls"]);
    }

    #[test]
    fn a_text_with_escapes_is_read_in_both_ways() {
        let text = r"a $'\x62\'c' d";
        assert_eq!(words(text), ["a b'c d"]);
        let plain = super::lex(text, DollarQuotes::Plain).pieces;
        assert_eq!(plain[0].words, ["a", r"\x62\c d"]);
    }

    #[test]
    fn alternatives_become_words() {
        assert_eq!(words("{rm,-f,x} y{a,b} {a}"), ["rm -f x ya yb {a}"]);
    }

    #[test]
    fn every_text_has_an_answer() {
        for text in [
            "$'", "$'\\", "$'\\x", "{,}", "'", "\"", "\\", "<<", "<<E", "$(", "${", "a >", "&>",
            "\"$(", "é\u{0}",
        ] {
            let _ = lex(text);
        }
    }
}
