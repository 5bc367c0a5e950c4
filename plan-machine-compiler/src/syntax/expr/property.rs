//! Parses the forms of invariants.

use super::parse::{Parser, Problem, problem};
use super::token::Token;
use crate::source::Spanned;
use crate::syntax::ast::{Expr, ExprKind, Name, Path, Property};

/// Reads one whole invariant.
pub(super) fn property(parser: &mut Parser) -> Result<Spanned<Property>, Problem> {
    let start = parser.span();
    let property = form(parser)?;
    let span = start.to(parser.span());
    parser.end()?;
    Ok(Spanned::new(property, span))
}

fn form(parser: &mut Parser) -> Result<Property, Problem> {
    if parser.eat_word("always") {
        return Ok(Property::Always(parser.expression()?));
    }
    if parser.eat_word("never") {
        return Ok(Property::Never(parser.expression()?));
    }
    if parser.eat_words(&["can", "always", "reach"]) {
        let target = parser.expression()?;
        let by = if parser.eat_word("by") {
            events(parser)?
        } else {
            Vec::new()
        };
        return Ok(Property::CanReach(target, by));
    }
    if parser.eat_word("after") {
        let event = parser.dotted()?;
        if !parser.eat(":") {
            return Err(parser.wanted("`:`"));
        }
        return Ok(Property::After(event, parser.expression()?));
    }
    let subject = parser.expression()?;
    about(parser, subject)
}

/// Reads the forms that start with their subject.
fn about(parser: &mut Parser, subject: Expr) -> Result<Property, Problem> {
    if parser.eat_words(&["changes", "only", "in"]) {
        return Ok(Property::ChangesOnlyIn(
            path(subject)?,
            parser.expression()?,
        ));
    }
    if parser.eat_words(&["changes", "only", "by"]) {
        return Ok(Property::ChangesOnlyBy(path(subject)?, events(parser)?));
    }
    if parser.eat_words(&["never", "changes"]) {
        return Ok(Property::NeverChanges(path(subject)?));
    }
    if parser.eat_words(&["only", "grows"]) {
        return Ok(Property::OnlyGrows(path(subject)?));
    }
    if parser.eat_words(&["emitted", "only", "by"]) {
        return Ok(Property::EmittedOnlyBy(
            name(subject, "an effect")?,
            events(parser)?,
        ));
    }
    if parser.eat_words(&["emitted", "only", "in"]) {
        let effect = name(subject, "an effect")?;
        return Ok(Property::EmittedOnlyIn(effect, parser.expression()?));
    }
    if parser.eat_words(&["never", "emits"]) {
        let event = name(subject, "an event")?;
        return Ok(Property::NeverEmits(event, parser.name()?));
    }
    if parser.eat_words(&["only", "in"]) {
        return Ok(Property::OnlyIn(
            name(subject, "an event")?,
            parser.expression()?,
        ));
    }
    if parser.eat_words(&["only", "by"]) {
        return Ok(Property::OnlyBy(subject, events(parser)?));
    }
    if *parser.peek() == Token::End {
        let message = "this is not a valid invariant";
        let help = "put `always` or `never` before the condition: `always (READY implies markdown is set)`";
        return Err(Box::new(problem(message, subject.span).help(help)));
    }
    let forms = "`only by`, `only in`, `only grows`, `changes only …`, `emitted only …`, `never changes` or `never emits`";
    let wanted = *parser.wanted(forms);
    Err(Box::new(wanted.help(
        "other forms start with `always`, `never`, `can always reach` or `after`",
    )))
}

/// Reads `a or b or c`.
fn events(parser: &mut Parser) -> Result<Vec<Name>, Problem> {
    let mut names = vec![parser.dotted()?];
    while parser.eat_word("or") {
        names.push(parser.dotted()?);
    }
    Ok(names)
}

fn name(expr: Expr, what: &str) -> Result<Name, Problem> {
    match expr.node {
        ExprKind::Name(name) => Ok(Spanned::new(name, expr.span)),
        // In a session, the name of the machine comes before the dot.
        ExprKind::Member(base, member) if matches!(base.node, ExprKind::Name(_)) => {
            let machine = name(*base, what)?;
            let name = format!("{}.{}", machine.node, member.node);
            Ok(Spanned::new(name, expr.span))
        }
        _ => Err(problem(
            format!("expected {what}'s name, found an expression"),
            expr.span,
        )),
    }
}

fn path(expr: Expr) -> Result<Path, Problem> {
    let span = expr.span;
    let mut names = Vec::new();
    let mut rest = expr;
    loop {
        match rest.node {
            ExprKind::Name(name) => {
                names.push(Spanned::new(name, rest.span));
                names.reverse();
                return Ok(Spanned::new(names, span));
            }
            ExprKind::Member(base, member) => {
                names.push(member);
                rest = *base;
            }
            _ => {
                let message = "expected a field's name, found an expression";
                return Err(problem(message, rest.span));
            }
        }
    }
}
