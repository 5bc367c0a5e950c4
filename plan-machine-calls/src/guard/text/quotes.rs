//! Reads the quoted parts of words.

use super::Lexer;
use crate::guard::ansi;

impl Lexer<'_> {
    pub(super) fn single_quotes(&mut self) {
        self.word.get_or_insert_default();
        while let Some((_, letter)) = self.letters.next() {
            if letter == '\'' {
                return;
            }
            self.push(letter);
        }
    }

    /// Reads the text of `$'…'`, in which a backslash can escape a quote.
    pub(super) fn escapes(&mut self) {
        let start = self.letters.peek().map_or(self.text.len(), |(at, _)| *at);
        let mut end = self.text.len();
        while let Some((at, letter)) = self.letters.next() {
            match letter {
                '\'' => {
                    end = at;
                    break;
                }
                '\\' => {
                    self.letters.next();
                }
                _ => {}
            }
        }
        let text = ansi::decoded(&self.text[start..end]);
        self.word.get_or_insert_default().push_str(&text);
    }

    pub(super) fn double_quotes(&mut self) {
        self.word.get_or_insert_default();
        let mut inside = String::new();
        while let Some((_, letter)) = self.letters.next() {
            match letter {
                '"' => break,
                '\\' => inside.extend(self.letters.next().map(|(_, quoted)| quoted)),
                other => inside.push(other),
            }
        }
        self.word.get_or_insert_default().push_str(&inside);
        if inside.contains("$(") || inside.contains('`') {
            self.found.nested.push(inside);
        }
    }
}
