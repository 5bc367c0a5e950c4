//! Parses expressions, templates with `{expr}` parts, and invariants.

mod habits;
mod parse;
mod problems;
mod property;
mod text;
mod token;

pub use parse::WORDS;
pub use text::Located;

use crate::diagnostic::Diagnostic;
use crate::source::Spanned;
use crate::syntax::ast::{Expr, ExprKind, Part, Property};
use parse::{Parser, problem};

/// The maximum number of tokens. Long chains such as `a and b and …` become deep trees; this limit bounds every
/// traversal of such a tree.
const MAX_TOKENS: usize = 1_000;

fn parser(source: &Located<'_>) -> Result<Parser, Box<Diagnostic>> {
    let tokens = token::tokens(source).map_err(|(message, span)| problem(message, span))?;
    source.count_tokens(tokens.len());
    if tokens.len() > MAX_TOKENS {
        let message = format!("the expression has more than {MAX_TOKENS} tokens");
        return Err(problem(message, tokens[MAX_TOKENS].1));
    }
    Ok(Parser::new(tokens))
}

/// Reads a whole expression.
///
/// # Errors
/// Returns an error if the text is not an expression, has too many tokens, or is nested too deeply; the error points to
/// the first token that is not accepted.
pub fn expression(source: &Located<'_>) -> Result<Expr, Box<Diagnostic>> {
    let mut parser = parser(source)?;
    let expr = parser.expression()?;
    parser.end()?;
    Ok(expr)
}

/// Reads a whole invariant.
///
/// # Errors
/// Returns an error if the text does not match any form of invariant, has too many tokens, or is nested too deeply.
pub fn invariant(source: &Located<'_>) -> Result<Spanned<Property>, Box<Diagnostic>> {
    property::property(&mut parser(source)?)
}

/// Reads a template, in which `{expr}` is replaced by the value of an expression and `{{` is a literal brace.
///
/// # Errors
/// Returns an error if a brace is not closed, or if the text between braces is not an expression.
pub fn template(source: &Located<'_>) -> Result<Expr, Box<Diagnostic>> {
    let text = source.text;
    let whole = source.span(0, text.len());
    let mut parts = Vec::new();
    let mut literal = String::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('{') {
        literal.push_str(&text[at..at + found]);
        let open = at + found;
        if text[open + 1..].starts_with('{') {
            literal.push('{');
            at = open + 2;
            continue;
        }
        let end = closing_brace(text, open).ok_or_else(|| {
            let message = "this brace is never closed; a literal brace is written `{{`";
            problem(message, source.span(open, open + 1))
        })?;
        if !literal.is_empty() {
            parts.push(Part::Literal(std::mem::take(&mut literal)));
        }
        parts.push(Part::Expr(within(source, open + 1, end)?));
        at = end + 1;
    }
    literal.push_str(&text[at..]);
    if parts.is_empty() {
        return Ok(Spanned::new(ExprKind::Text(literal), whole));
    }
    if !literal.is_empty() {
        parts.push(Part::Literal(literal));
    }
    Ok(Spanned::new(ExprKind::Template(parts), whole))
}

/// Returns the position of the brace that closes the brace at `open`, ignoring braces in quoted strings.
fn closing_brace(text: &str, open: usize) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in text[open + 1..].char_indices() {
        match c {
            '\\' if quoted && !escaped => {
                escaped = true;
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            '}' if !quoted => return Some(open + 1 + at),
            _ => {}
        }
        escaped = false;
    }
    None
}

/// Parses the expression between two byte offsets of a text.
fn within(source: &Located<'_>, start: usize, end: usize) -> Result<Expr, Box<Diagnostic>> {
    let inner = source.part(start, end);
    if inner.text.trim().is_empty() {
        let message = "these braces are empty; a literal brace is written `{{`";
        return Err(problem(message, source.span(start - 1, end + 1)));
    }
    let parsed = expression(&inner);
    source.count_tokens(inner.tokens());
    parsed
}

#[cfg(test)]
mod tests;
