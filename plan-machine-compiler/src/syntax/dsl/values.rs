//! Reads expressions, values and literals.

use proc_macro2::Literal as Written;
use syn::Lit;

use super::layout::{OPERATORS, apart};
use super::map::Token;
use super::reader::{Reader, Run, digits};
use super::statements::UsedNames;
use super::text::decode;
use super::tokens::{Bracket, Kind};
use crate::diagnostic::Diagnostic;
use crate::source::Spanned;
use crate::syntax::ast::{Condition, Expr, ExprKind, Invariant, Literal, LiteralKind, Name};
use crate::syntax::expr::{self, Located};
use plan_machine_kernel::json::Json;

impl Reader<'_> {
    /// Reads an expression from these tokens.
    pub(super) fn expression(&mut self, run: Run) -> Option<Expr> {
        self.parsed(run, expr::expression)
    }

    /// Reads an expression and keeps its text for display.
    pub(super) fn condition(&mut self, run: Run) -> Option<Condition> {
        let expr = self.expression(run)?;
        let text = self.spaced(run);
        Some(Condition { expr, text })
    }

    /// Reads an invariant from these tokens.
    pub(super) fn property(&mut self, name: Name, run: Run) -> Option<Invariant> {
        let property = self.parsed(run, expr::invariant)?;
        let text = self.spaced(run);
        Some(Invariant {
            name,
            property,
            text,
        })
    }

    /// Passes the tokens to the expression parser as text in which the position of each character is known.
    fn parsed<T>(
        &mut self,
        run: Run,
        parse: fn(&Located<'_>) -> Result<T, Box<Diagnostic>>,
    ) -> Option<T> {
        if run.start == run.end {
            return self.within(run, |reader| reader.wanted("an expression"));
        }
        let (text, offsets) = self.written(run);
        match parse(&Located::mapped(&text, self.file, offsets)) {
            Ok(parsed) => Some(parsed),
            Err(found) => {
                let found = self.perhaps_a_missing_semicolon(run, *found);
                self.report(found);
                None
            }
        }
    }

    /// Returns the text of a run, with a space between tokens, and the position of each byte.
    fn written(&self, run: Run) -> (String, Vec<u32>) {
        let mut text = String::new();
        let mut offsets = Vec::new();
        let mut end = 0;
        for token in &self.tokens[run.start..run.end] {
            if !text.is_empty() {
                text.push(' ');
                offsets.push(end);
            }
            let start = token.span.start;
            let piece = match &token.kind {
                Kind::Word(word) => word.clone(),
                Kind::Literal(literal) => expression_literal(literal, &token.shown),
                _ => token.shown.clone(),
            };
            let same = piece == token.shown;
            let length = u32::try_from(piece.len()).unwrap_or(u32::MAX);
            offsets.extend((0..length).map(|byte| if same { start + byte } else { start }));
            text.push_str(&piece);
            end = token.span.end;
        }
        offsets.push(end);
        (text, offsets)
    }

    /// Returns the text of a run, spaced as a person would write it.
    fn spaced(&self, run: Run) -> String {
        let tokens = &self.tokens[run.start..run.end];
        let mut text = String::new();
        for (at, token) in tokens.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| &tokens[before].kind);
            let is_apart = before.is_some_and(|before| apart(before, &token.kind));
            if is_apart && !is_sign(&tokens[..at]) {
                text.push(' ');
            }
            text.push_str(&token.shown);
        }
        text
    }

    /// Adds a hint if the expression may be invalid because the next statement was read as part of it.
    fn perhaps_a_missing_semicolon(&self, run: Run, found: Diagnostic) -> Diagnostic {
        let place = found.primary.span.start;
        let inner = &self.tokens[run.start + 1..run.end];
        let word = inner.iter().find(|token| token.span.start == place);
        match word.map(|token| &token.kind) {
            Some(Kind::Word(word)) if BEGINNINGS.contains(&word.as_str()) => found.help(format!(
                "a statement ends with `;`: is one missing before `{word}`?"
            )),
            _ => found,
        }
    }

    /// Reads a string with `{expr}` parts.
    pub(super) fn template(&mut self, what: &str) -> Option<Expr> {
        let Some(Kind::Literal(literal)) = self.peek() else {
            return self.wanted(what);
        };
        let span = self.here();
        let Some(decoded) = decode(literal, span.start as usize) else {
            return self.wanted(what);
        };
        self.advance();
        let located = Located::mapped(&decoded.text, self.file, decoded.offsets);
        match expr::template(&located) {
            Ok(found) => Some(Spanned::new(found.node, span)),
            Err(found) => {
                self.report(*found);
                None
            }
        }
    }

    /// Reads a value up to one of the symbols: a string, a record, a list, or otherwise an expression.
    pub(super) fn value(&mut self, stops: &[&str]) -> Option<Expr> {
        if self.opens(Bracket::Curly) {
            return self.record();
        }
        let run = self.run(stops);
        let alone = run.end - run.start == 1;
        self.within(run, |reader| match reader.peek() {
            None => reader.wanted("a value"),
            Some(Kind::Literal(literal)) if alone && decode(literal, 0).is_some() => {
                reader.template("a string")
            }
            Some(Kind::Open(Bracket::Square, close)) if close + 1 == run.end => reader.values(),
            _ => reader.expression(run),
        })
    }

    /// Reads `{ field: value, … }`.
    fn record(&mut self) -> Option<Expr> {
        let start = self.here();
        let fields = self.assignments()?;
        let span = start.to(self.before());
        Some(Spanned::new(ExprKind::Record(fields), span))
    }

    /// Reads `[value, …]`.
    fn values(&mut self) -> Option<Expr> {
        let start = self.here();
        let run = self.expect_group(Bracket::Square)?;
        let items = self.list(run, |reader| reader.value(&[]));
        let span = start.to(self.before());
        Some(Spanned::new(ExprKind::List(items), span))
    }

    /// Reads the fields of a record or an effect.
    pub(super) fn assignments(&mut self) -> Option<Vec<(Name, Expr)>> {
        let run = self.expect_group(Bracket::Curly)?;
        let mut seen = UsedNames::default();
        let fields = self.list(run, |reader| {
            let field = reader.field_name()?;
            reader.expect(":")?;
            let value = reader.value(&[])?;
            seen.is_new(reader, "key", &field).then_some((field, value))
        });
        Some(fields)
    }

    /// Reads a field name, which must be quoted if it is not a plain name.
    fn field_name(&mut self) -> Option<Name> {
        match self.plain_text() {
            Some(text) => Some(text),
            None => self.name("a field's name"),
        }
    }

    /// Reads a string, if there is one; braces in it have no special meaning.
    fn plain_text(&mut self) -> Option<Name> {
        let span = self.here();
        let Some(Kind::Literal(literal)) = self.peek() else {
            return None;
        };
        let decoded = decode(literal, 0)?;
        self.advance();
        Some(Spanned::new(decoded.text, span))
    }

    /// Reads a quoted string; braces in it have no special meaning.
    pub(super) fn text(&mut self, what: &str) -> Option<Name> {
        match self.plain_text() {
            Some(text) => Some(text),
            None => self.wanted(what),
        }
    }

    /// Reads a scalar, which must be quoted unless it is a single word or a number.
    pub(super) fn scalar(&mut self, what: &str) -> Option<Name> {
        let start = self.here();
        match self.scalar_literal(what)? {
            LiteralKind::Scalar { text, .. } => Some(Spanned::new(text, start.to(self.before()))),
            _ => None,
        }
    }

    /// Reads a literal value, which is not evaluated.
    pub(super) fn literal(&mut self) -> Option<Literal> {
        let start = self.here();
        let kind = match self.peek() {
            Some(Kind::Open(Bracket::Curly, _)) => LiteralKind::Map(self.entries()?),
            Some(Kind::Open(Bracket::Square, _)) => {
                let run = self.expect_group(Bracket::Square)?;
                LiteralKind::List(self.list(run, Self::literal))
            }
            _ => self.scalar_literal("a value")?,
        };
        let span = start.to(self.before());
        Some(Literal { span, kind })
    }

    fn entries(&mut self) -> Option<Vec<(Name, Literal)>> {
        let run = self.expect_group(Bracket::Curly)?;
        let mut seen = UsedNames::default();
        let entries = self.list(run, |reader| {
            let field = reader.field_name()?;
            reader.expect(":")?;
            let value = reader.literal()?;
            seen.is_new(reader, "key", &field).then_some((field, value))
        });
        Some(entries)
    }

    fn scalar_literal(&mut self, what: &str) -> Option<LiteralKind> {
        if let Some(text) = self.plain_text() {
            let (text, quoted) = (text.node, true);
            return Some(LiteralKind::Scalar { text, quoted });
        }
        let negative = self.eat("-");
        let text = match self.peek() {
            Some(Kind::Word(word)) if !negative => Some(word.clone()),
            Some(Kind::Literal(literal)) => number(literal),
            _ => None,
        };
        let Some(text) = text else {
            return self.wanted(what);
        };
        self.advance();
        let sign = if negative { "-" } else { "" };
        Some(LiteralKind::Scalar {
            text: format!("{sign}{text}"),
            quoted: false,
        })
    }
}

/// Words that start a statement. If one of them follows an expression, a `;` may be missing between them.
const BEGINNINGS: [&str; 18] = [
    "when",
    "require",
    "set",
    "clear",
    "update",
    "remove",
    "insert",
    "append",
    "emit",
    "reply",
    "on",
    "state",
    "final",
    "enter",
    "exit",
    "invariant",
    "scenario",
    "prompt",
];

/// Returns whether these tokens end with the sign of a number, which is written without a space before the number.
fn is_sign(tokens: &[Token]) -> bool {
    let [before @ .., last] = tokens else {
        return false;
    };
    let is_operator = |kind: &Kind| match kind {
        Kind::Word(word) => OPERATORS.contains(&word.as_str()),
        kind => matches!(kind, Kind::Symbol(_) | Kind::Open(..)),
    };
    let starts = before.last().is_none_or(|token| is_operator(&token.kind));
    starts && matches!(last.kind, Kind::Symbol("-"))
}

/// Converts a literal to the syntax of the expression parser.
fn expression_literal(literal: &Written, shown: &str) -> String {
    if let Some(decoded) = decode(literal, 0) {
        return Json::from(decoded.text.as_str()).to_string();
    }
    digits(literal).unwrap_or_else(|| shown.to_owned())
}

/// Returns the digits of an integer or a floating-point number.
fn number(literal: &Written) -> Option<String> {
    match Lit::new(literal.clone()) {
        Lit::Float(number) if number.suffix().is_empty() => Some(number.base10_digits().to_owned()),
        _ => digits(literal),
    }
}
