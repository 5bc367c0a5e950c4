//! Shared parts of the reader: the next token, names, numbers, brackets and runs of tokens.

use plan_machine_kernel::timers::Period;
use proc_macro2::Literal;
use syn::Lit;

use super::map::{Token, TokenMap};
use super::tokens::{Bracket, Kind};
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::source::{FileId, Span, Spanned};
use crate::syntax::ast::Name;

/// Reads the tokens between two positions and reports unexpected tokens.
pub(super) struct Reader<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) file: FileId,
    /// The index of the next token.
    pub(super) at: usize,
    end: usize,
    sink: &'a mut Sink,
}

/// Consecutive tokens.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(map: &'a TokenMap, sink: &'a mut Sink) -> Self {
        Self {
            tokens: map.tokens(),
            file: map.file(),
            at: 0,
            end: map.tokens().len(),
            sink,
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.sink.push_lost(diagnostic);
    }

    /// Records the names among the unreadable tokens since a position, so that their uses are not reported as well.
    pub(super) fn lose_since(&mut self, start: usize) {
        for token in &self.tokens[start..self.at] {
            if let Kind::Word(word) = &token.kind {
                self.sink.lose_names(word);
            }
        }
    }

    /// Reports a value of the wrong shape.
    pub(super) fn shape(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::new(Code::PM0107, span, message));
    }

    /// Reports that something else was expected at the current position.
    pub(super) fn wanted<T>(&mut self, what: &str) -> Option<T> {
        let message = format!("expected {what}, found {}", self.shown());
        self.shape(self.here(), message);
        None
    }

    pub(super) fn shown(&self) -> String {
        match self.tokens.get(self.at) {
            None => "the end of the input".to_owned(),
            Some(token) => match &token.kind {
                Kind::Doc(_) => "a doc comment".to_owned(),
                Kind::Literal(literal) if is_text(literal) => "a string".to_owned(),
                _ => format!("`{}`", token.shown),
            },
        }
    }

    pub(super) fn peek(&self) -> Option<&'a Kind> {
        let tokens = self.tokens;
        (self.at < self.end).then(|| &tokens[self.at].kind)
    }

    pub(super) fn is_done(&self) -> bool {
        self.at >= self.end
    }

    /// Returns the next token's position; at the end of a block, the position of its closing bracket.
    pub(super) fn here(&self) -> Span {
        match (self.tokens.get(self.at), self.tokens.last()) {
            (Some(token), _) => token.span,
            (None, Some(last)) => {
                Span::new(self.file, last.span.end as usize, last.span.end as usize)
            }
            (None, None) => Span::new(self.file, 0, 0),
        }
    }

    /// Returns the position of the previous token.
    pub(super) fn before(&self) -> Span {
        let before = self.at.checked_sub(1);
        before.map_or_else(|| self.here(), |before| self.tokens[before].span)
    }

    /// Consumes the next token; an opening bracket is consumed together with its content.
    pub(super) fn advance(&mut self) {
        self.at = match self.peek() {
            Some(Kind::Open(_, close)) => close + 1,
            Some(_) => self.at + 1,
            None => self.at,
        };
    }

    pub(super) fn peek_word(&self) -> Option<&'a str> {
        match self.peek() {
            Some(Kind::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Returns the word after the next token.
    pub(super) fn peek_second_word(&self) -> Option<&'a str> {
        let tokens = self.tokens;
        let second = tokens[..self.end].get(self.at + 1);
        match second.map(|token| &token.kind) {
            Some(Kind::Word(word)) => Some(word),
            _ => None,
        }
    }

    pub(super) fn eat_word(&mut self, word: &str) -> Option<Span> {
        let span = self.here();
        (self.peek_word() == Some(word)).then(|| {
            self.advance();
            span
        })
    }

    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek(), Some(Kind::Symbol(found)) if *found == symbol)
    }

    pub(super) fn eat(&mut self, symbol: &str) -> bool {
        let there = self.is_symbol(symbol);
        if there {
            self.advance();
        }
        there
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Option<()> {
        if self.eat(symbol) {
            return Some(());
        }
        self.wanted(&format!("`{symbol}`"))
    }

    /// Returns whether the next token is an opening bracket of this kind.
    pub(super) fn opens(&self, bracket: Bracket) -> bool {
        matches!(self.peek(), Some(Kind::Open(found, _)) if *found == bracket)
    }

    /// Consumes a group in brackets of this kind and returns its content.
    pub(super) fn group(&mut self, bracket: Bracket) -> Option<Run> {
        match self.peek() {
            Some(Kind::Open(found, close)) if *found == bracket => {
                let start = self.at + 1;
                self.advance();
                Some(Run { start, end: *close })
            }
            _ => None,
        }
    }

    pub(super) fn expect_group(&mut self, bracket: Bracket) -> Option<Run> {
        match self.group(bracket) {
            Some(run) => Some(run),
            None => self.wanted(&format!("`{}`", bracket.open())),
        }
    }

    /// Reads inside a run, then returns to the previous position.
    pub(super) fn within<T>(&mut self, run: Run, read: impl FnOnce(&mut Self) -> T) -> T {
        let outside = (self.at, self.end);
        (self.at, self.end) = (run.start, run.end);
        let made = read(self);
        (self.at, self.end) = outside;
        made
    }

    /// Consumes all tokens up to one of the symbols, an opening brace or the end.
    pub(super) fn run(&mut self, stops: &[&str]) -> Run {
        let start = self.at;
        while let Some(kind) = self.peek() {
            let stop = match kind {
                Kind::Symbol(symbol) => stops.contains(symbol),
                Kind::Open(Bracket::Curly, _) => true,
                _ => false,
            };
            if stop {
                break;
            }
            self.advance();
        }
        Run {
            start,
            end: self.at,
        }
    }

    /// Reads the comma-separated items inside a bracket.
    pub(super) fn list<T>(
        &mut self,
        run: Run,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Vec<T> {
        let mut items = Vec::new();
        self.within(run, |reader| {
            while !reader.is_done() {
                let item = reader.item();
                items.extend(reader.within(item, |reader| {
                    let read = read(reader)?;
                    reader.nothing_more();
                    Some(read)
                }));
                reader.eat(",");
            }
        });
        items
    }

    /// Consumes the rest of the tokens.
    pub(super) fn skip(&mut self) {
        self.at = self.end;
    }

    /// Consumes everything up to the next comma.
    fn item(&mut self) -> Run {
        let start = self.at;
        while !self.is_done() && !self.is_symbol(",") {
            self.advance();
        }
        Run {
            start,
            end: self.at,
        }
    }

    /// Reports any tokens left over after an item.
    fn nothing_more(&mut self) {
        if !self.is_done() {
            let _: Option<()> = self.wanted("`,`");
        }
    }

    pub(super) fn name(&mut self, what: &str) -> Option<Name> {
        let Some(word) = self.peek_word() else {
            return self.wanted(what);
        };
        let name = Spanned::new(word.to_owned(), self.here());
        self.advance();
        let letters = word.starts_with(|c: char| c.is_ascii_alphabetic());
        let rest = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if letters && rest && word.len() <= 100 {
            return Some(name);
        }
        let help = "a name starts with a letter, followed by letters, digits and `_`; it has at most 100 characters";
        let short: String = word.chars().take(40).collect();
        let message = format!("`{short}` is not a valid name");
        self.report(Diagnostic::new(Code::PM0107, name.span, message).help(help));
        None
    }

    /// Reads comma-separated names, up to the end of the statement.
    pub(super) fn names(&mut self, what: &str) -> Option<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(",") {
            names.push(self.name(what)?);
        }
        Some(names)
    }

    pub(super) fn integer(&mut self, what: &str) -> Option<Spanned<i64>> {
        let start = self.here();
        let negative = self.eat("-");
        let number = match self.peek() {
            Some(Kind::Literal(literal)) => digits(literal),
            _ => None,
        };
        let sign = if negative { "-" } else { "" };
        let number = number.and_then(|digits| format!("{sign}{digits}").parse().ok());
        let Some(number) = number else {
            self.shape(self.here(), format!("{what} must be a 64-bit integer"));
            return None;
        };
        self.advance();
        Some(Spanned::new(number, start.to(self.before())))
    }

    /// Reads a period such as `90s` or `1h30m`.
    pub(super) fn period(&mut self) -> Option<Spanned<Period>> {
        let Some(Kind::Literal(_)) = self.peek() else {
            return self.wanted("a period such as `90s` or `1h`");
        };
        let span = self.here();
        match self.tokens[self.at].shown.parse() {
            Ok(period) => {
                self.advance();
                Some(Spanned::new(period, span))
            }
            Err(message) => {
                self.shape(span, message);
                None
            }
        }
    }

    pub(super) fn positive(&mut self, what: &str) -> Option<Spanned<i64>> {
        let number = self.integer(what)?;
        if number.node < 1 {
            self.shape(number.span, format!("{what} must be at least 1"));
        }
        (number.node >= 1).then_some(number)
    }
}

fn is_text(literal: &Literal) -> bool {
    matches!(Lit::new(literal.clone()), Lit::Str(_))
}

/// Returns the digits of an integer.
pub(super) fn digits(literal: &Literal) -> Option<String> {
    match Lit::new(literal.clone()) {
        Lit::Int(number) if number.suffix().is_empty() => Some(number.base10_digits().to_owned()),
        _ => None,
    }
}
