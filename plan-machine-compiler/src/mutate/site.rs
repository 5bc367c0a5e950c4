//! A mutation site: the handler of one event in one state.

use super::place::HandlerPlace;
use crate::model::HandlerId;
use crate::source::Span;
use crate::syntax::ast::{Handler, HandlerKind};

/// How one state handles one event, as written and as resolved.
pub(super) struct Site<'a> {
    pub(super) place: HandlerPlace,
    pub(super) id: HandlerId,
    /// A description, for example "`plan_get` in active".
    pub(super) name: String,
    /// The location of the event's name.
    pub(super) span: Span,
    pub(super) handler: &'a Handler,
    /// The handler that would apply without this one, if there is one.
    pub(super) inherited: Option<&'a Handler>,
}

impl Site<'_> {
    /// Describes one of the alternatives, with a number only if there are several.
    pub(super) fn alternative(&self, at: usize) -> String {
        match &self.handler.kind {
            HandlerKind::Transitions(all) if all.len() > 1 => {
                format!("alternative {} of {}", at + 1, self.name)
            }
            _ => self.name.clone(),
        }
    }
}

/// Returns a string on one line.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}
