//! Parses tokens into expressions, by precedence.
//!
//! The operators, from the loosest to the tightest: `implies`, `or`, `and`, `not`, comparisons (including
//! `is` and `in`), `??`, `+ -`.

use super::habits;
use super::token::Token;
use crate::diagnostic::{Code, Diagnostic};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Gate, Is, Name, Quantifier};

/// The maximum nesting depth of an expression, including parentheses, `not` and calls.
const MAX_DEPTH: usize = 64;

/// Words that have a meaning in expressions, so no event, state, data field or context field may have one of them as
/// its name.
pub const WORDS: [&str; 21] = [
    "implies",
    "or",
    "and",
    "not",
    "is",
    "set",
    "empty",
    "blank",
    "in",
    "any",
    "every",
    "no",
    "count",
    "where",
    "true",
    "false",
    "advertises",
    "prompts",
    "runs",
    "denies",
    "records",
];

/// The first problem found while parsing a text.
pub(super) type Problem = Box<Diagnostic>;

pub(super) fn problem(message: impl Into<String>, span: Span) -> Problem {
    Box::new(Diagnostic::new(Code::PM0107, span, message))
}

/// A parser over a list of tokens.
pub(super) struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
}

/// A parsed expression, or the problem that the parser found.
type ExprResult = Result<Expr, Problem>;

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Spanned::new(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
}

impl Parser {
    pub(super) fn new(tokens: Vec<(Token, Span)>) -> Self {
        Self {
            tokens,
            at: 0,
            depth: 0,
        }
    }

    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn peek_after(&self, distance: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + distance).min(last)].0
    }

    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    pub(super) fn advance(&mut self) {
        // Never moves past the end token.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found == word)
    }

    /// Returns whether these words come next.
    pub(super) fn are_words(&self, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(distance, word)| {
            matches!(self.peek_after(distance), Token::Word(found) if found == word)
        })
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let there = self.is_word(word);
        if there {
            self.advance();
        }
        there
    }

    pub(super) fn eat_words(&mut self, words: &[&str]) -> bool {
        let there = self.are_words(words);
        if there {
            for _ in words {
                self.advance();
            }
        }
        there
    }

    pub(super) fn eat(&mut self, symbol: &str) -> bool {
        let there = matches!(self.peek(), Token::Symbol(found) if *found == symbol);
        if there {
            self.advance();
        }
        there
    }

    fn expect(&mut self, symbol: &str) -> Result<(), Problem> {
        if self.eat(symbol) {
            Ok(())
        } else {
            let wanted = *self.wanted(&format!("`{symbol}`"));
            Err(Box::new(match (symbol, self.peek()) {
                (",", Token::End) => wanted.help(habits::COMMA),
                _ => self.with_help(wanted),
            }))
        }
    }

    /// Adds help for the token that was found instead of the end of an expression.
    pub(super) fn with_help(&self, wanted: Diagnostic) -> Diagnostic {
        let before = self.at.checked_sub(1).map(|at| &self.tokens[at].0);
        let earlier = self.at.checked_sub(2).map(|at| &self.tokens[at].0);
        // After a dot, a word is the name of a field.
        let is_field = earlier == Some(&Token::Symbol("."));
        match habits::left_over(before, is_field, self.peek()) {
            Some(help) => wanted.help(help),
            None => wanted,
        }
    }

    pub(super) fn wanted(&self, what: &str) -> Problem {
        let message = format!("expected {what}, found {}", self.peek().shown());
        problem(message, self.span())
    }

    pub(super) fn end(&self) -> Result<(), Problem> {
        match self.peek() {
            Token::End => Ok(()),
            _ => Err(Box::new(
                self.with_help(*self.wanted("the end of the expression")),
            )),
        }
    }

    /// Reads the name of an event or a tool; in a session, the name of its machine and a dot may come first.
    pub(super) fn dotted(&mut self) -> Result<Name, Problem> {
        let mut name = self.name()?;
        while self.eat(".") {
            let member = self.name()?;
            let span = name.span.to(member.span);
            name = Spanned::new(format!("{}.{}", name.node, member.node), span);
        }
        Ok(name)
    }

    pub(super) fn name(&mut self) -> Result<Name, Problem> {
        match self.peek().clone() {
            Token::Word(word) => {
                let name = Spanned::new(word, self.span());
                self.advance();
                Ok(name)
            }
            _ => Err(self.wanted("a name")),
        }
    }

    /// Reads a whole expression.
    pub(super) fn expression(&mut self) -> ExprResult {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("the expression is nested more than {MAX_DEPTH} levels deep");
            return Err(problem(message, self.span()));
        }
        let left = self.or()?;
        let parsed = if self.eat_word("implies") {
            binary(BinaryOp::Implies, left, self.expression()?)
        } else {
            left
        };
        self.depth -= 1;
        Ok(parsed)
    }

    fn or(&mut self) -> ExprResult {
        let mut left = self.and()?;
        while self.eat_word("or") {
            left = binary(BinaryOp::Or, left, self.and()?);
        }
        Ok(left)
    }

    fn and(&mut self) -> ExprResult {
        let mut left = self.not()?;
        while self.eat_word("and") {
            left = binary(BinaryOp::And, left, self.not()?);
        }
        Ok(left)
    }

    fn not(&mut self) -> ExprResult {
        let start = self.span();
        if !self.eat_word("not") {
            return self.comparison();
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("the expression is nested more than {MAX_DEPTH} levels deep");
            return Err(problem(message, start));
        }
        let inner = self.not()?;
        self.depth -= 1;
        let span = start.to(inner.span);
        Ok(Spanned::new(ExprKind::Not(Box::new(inner)), span))
    }

    fn comparison(&mut self) -> ExprResult {
        let left = self.coalesce()?;
        let parsed = if let Some(op) = self.comparison_operator() {
            self.advance();
            binary(op, left, self.coalesce()?)
        } else if self.eat_word("is") {
            self.is(left)?
        } else if self.eat_word("in") {
            self.membership(left)?
        } else {
            return Ok(left);
        };
        if self.comparison_operator().is_some() || self.is_word("is") || self.is_word("in") {
            let message = "comparisons cannot be chained; put one of them in parentheses";
            return Err(problem(message, self.span()));
        }
        Ok(parsed)
    }

    fn comparison_operator(&self) -> Option<BinaryOp> {
        let Token::Symbol(symbol) = self.peek() else {
            return None;
        };
        Some(match *symbol {
            "==" => BinaryOp::Equal,
            "!=" => BinaryOp::NotEqual,
            "<" => BinaryOp::Less,
            "<=" => BinaryOp::LessEqual,
            ">" => BinaryOp::Greater,
            ">=" => BinaryOp::GreaterEqual,
            _ => return None,
        })
    }

    fn is(&mut self, left: Expr) -> ExprResult {
        let negated = self.eat_word("not");
        let end = self.span();
        let asked = if self.eat_word("set") {
            Is::Set
        } else if self.eat_word("empty") {
            Is::Empty
        } else if self.eat_word("blank") {
            Is::Blank
        } else {
            return Err(self.unknown_predicate(negated));
        };
        let span = left.span.to(end);
        Ok(Spanned::new(
            ExprKind::Is(Box::new(left), asked, negated),
            span,
        ))
    }

    fn membership(&mut self, left: Expr) -> ExprResult {
        self.expect("[")?;
        let mut items = Vec::new();
        while !self.eat("]") {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(self.coalesce()?);
        }
        let end = self.tokens[self.at - 1].1;
        let span = left.span.to(end);
        Ok(Spanned::new(ExprKind::In(Box::new(left), items), span))
    }

    fn coalesce(&mut self) -> ExprResult {
        let left = self.sum()?;
        if self.eat("??") {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                let message = format!("the expression is nested more than {MAX_DEPTH} levels deep");
                return Err(problem(message, left.span));
            }
            let right = self.coalesce()?;
            self.depth -= 1;
            return Ok(binary(BinaryOp::Coalesce, left, right));
        }
        Ok(left)
    }

    fn sum(&mut self) -> ExprResult {
        let mut left = self.unary()?;
        loop {
            let op = match self.peek() {
                Token::Symbol("+") => BinaryOp::Add,
                Token::Symbol("-") => BinaryOp::Subtract,
                _ => return Ok(left),
            };
            self.advance();
            left = binary(op, left, self.unary()?);
        }
    }

    fn unary(&mut self) -> ExprResult {
        let start = self.span();
        if self.eat("-") {
            let Token::Int(number) = *self.peek() else {
                return Err(self.wanted("a number"));
            };
            let span = start.to(self.span());
            self.advance();
            let Some(number) = 0_i64.checked_sub_unsigned(number) else {
                return Err(too_large(span));
            };
            return Ok(Spanned::new(ExprKind::Int(number), span));
        }
        if let Token::Word(word) = self.peek().clone() {
            let starts_name = matches!(
                self.peek_after(1),
                Token::Word(_) | Token::Symbol("(" | "[")
            );
            if let Some(quantifier) = quantifier(&word).filter(|_| starts_name) {
                return self.quantified(quantifier, start);
            }
            // `accepts` is not reserved: before an operator, it is a name.
            let names_tool = match self.peek_after(1) {
                Token::Word(next) => word != "accepts" || !OPERATORS.contains(&next.as_str()),
                _ => false,
            };
            if let Some(gate) = gate(&word).filter(|_| names_tool) {
                self.advance();
                let tool = self.dotted()?;
                let span = start.to(tool.span);
                return Ok(Spanned::new(ExprKind::Gate(gate, tool), span));
            }
        }
        self.postfix()
    }

    fn quantified(&mut self, quantifier: Quantifier, start: Span) -> ExprResult {
        self.advance();
        // `plans where …` on its own is a list; after a quantifier, the `where` belongs to the quantifier.
        let list = if self.are_words(&["plans", "where"]) {
            self.primary()?
        } else {
            self.postfix()?
        };
        if !self.eat_word("where") {
            return Err(self.wanted("`where`"));
        }
        let condition = self.expression()?;
        let span = start.to(condition.span);
        let kind = ExprKind::Quantified(quantifier, Box::new(list), Box::new(condition));
        Ok(Spanned::new(kind, span))
    }

    fn postfix(&mut self) -> ExprResult {
        let mut base = self.primary()?;
        loop {
            if self.eat(".") {
                let member = self.name()?;
                let span = base.span.to(member.span);
                base = Spanned::new(ExprKind::Member(Box::new(base), member), span);
            } else if self.eat("[") {
                let index = self.expression()?;
                let span = base.span.to(self.span());
                self.expect("]")?;
                base = Spanned::new(ExprKind::Index(Box::new(base), Box::new(index)), span);
            } else if matches!(&base.node, ExprKind::Name(name) if name == "plans")
                && self.eat_word("where")
            {
                let condition = self.expression()?;
                let span = base.span.to(condition.span);
                base = Spanned::new(
                    ExprKind::Filtered(Box::new(base), Box::new(condition)),
                    span,
                );
            } else {
                return Ok(base);
            }
        }
    }

    fn primary(&mut self) -> ExprResult {
        let span = self.span();
        let kind = match self.peek().clone() {
            Token::Int(number) => {
                ExprKind::Int(i64::try_from(number).map_err(|_| too_large(span))?)
            }
            Token::Text(text) => ExprKind::Text(text),
            Token::Word(word) if word == "true" => ExprKind::Bool(true),
            Token::Word(word) if word == "false" => ExprKind::Bool(false),
            Token::Word(word) => {
                if matches!(self.peek_after(1), Token::Symbol("(")) {
                    return self.call();
                }
                ExprKind::Name(word)
            }
            Token::Symbol("(") => {
                self.advance();
                let inner = self.expression()?;
                let end = self.span();
                if !self.eat(")") {
                    return Err(self.unclosed(span));
                }
                return Ok(Spanned::new(inner.node, span.to(end)));
            }
            Token::Symbol("[") => return self.list(span),
            _ => return Err(self.wanted("a value")),
        };
        self.advance();
        Ok(Spanned::new(kind, span))
    }

    fn list(&mut self, start: Span) -> ExprResult {
        self.advance();
        let mut items = Vec::new();
        let mut end = self.span();
        while !self.eat("]") {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(self.expression()?);
            end = self.span();
        }
        Ok(Spanned::new(ExprKind::List(items), start.to(end)))
    }

    fn call(&mut self) -> ExprResult {
        let function = self.name()?;
        self.expect("(")?;
        let mut arguments = Vec::new();
        let mut end = self.span();
        while !self.eat(")") {
            if !arguments.is_empty() && !self.eat(",") {
                return Err(self.unclosed_call(&function));
            }
            arguments.push(self.expression()?);
            end = self.span();
        }
        let span = function.span.to(end);
        Ok(Spanned::new(ExprKind::Call(function, arguments), span))
    }
}

fn too_large(span: Span) -> Problem {
    problem("this number is not a 64-bit integer", span)
}

fn quantifier(word: &str) -> Option<Quantifier> {
    Some(match word {
        "any" => Quantifier::Any,
        "every" => Quantifier::Every,
        "no" => Quantifier::No,
        "count" => Quantifier::Count,
        _ => return None,
    })
}

/// The words that can follow an operand.
const OPERATORS: [&str; 11] = [
    "implies", "or", "and", "is", "in", "where", "only", "by", "changes", "emitted", "never",
];

fn gate(word: &str) -> Option<Gate> {
    let mut known = Gate::WORDS.into_iter();
    known.find_map(|(known, gate)| (known == word).then_some(gate))
}
