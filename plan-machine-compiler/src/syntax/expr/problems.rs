//! Problems with an expression for which the help says what was probably meant.

use super::habits;
use super::parse::{Parser, Problem};
use super::token::Token;
use crate::source::Span;
use crate::syntax::ast::Name;

impl Parser {
    /// Returns the problem with a parenthesis that is not closed.
    pub(super) fn unclosed(&self, open: Span) -> Problem {
        let wanted = *self.wanted("`)`");
        Box::new(match self.peek() {
            Token::End => wanted
                .also(open, "this `(` is not closed")
                .help("add a `)` where the part in parentheses ends"),
            _ => self.with_help(wanted),
        })
    }

    /// Returns the problem with a call that is not closed.
    pub(super) fn unclosed_call(&self, function: &Name) -> Problem {
        let wanted = *self.wanted("`,` or `)`");
        Box::new(match self.peek() {
            // The text alone does not show whether YAML cut it off at a comma.
            Token::End => wanted
                .help(format!(
                    "if the call ends here, add a `)` after the last argument of `{}`",
                    function.node
                ))
                .help(habits::COMMA),
            _ => self.with_help(wanted),
        })
    }

    /// Returns the problem with a word after `is` that is not a predicate.
    pub(super) fn unknown_predicate(&self, negated: bool) -> Problem {
        let found = *self.wanted("`set`, `empty` or `blank` after `is`");
        let found = match self.peek() {
            Token::Word(word) => match habits::predicate(word, negated) {
                Some(help) => found.help(help),
                None => found.did_you_mean(word, habits::PREDICATES),
            },
            Token::Int(_) | Token::Text(_) => {
                let sign = if negated { "!=" } else { "==" };
                found.help(format!("compare values with `{sign}`"))
            }
            _ => found,
        };
        if found.help.is_empty() {
            return Box::new(found.help(
                "`is set` tests whether an optional has a value, `is empty` tests a string or a list, and \
                `is blank` tests a string; each can be negated: `is not set`",
            ));
        }
        Box::new(found)
    }
}
