//! Determines the types of expressions, given the names in scope and the facts known about them.

mod binary;
mod facts;
mod fit;
mod infer;
mod members;
mod names;
mod parts;

pub(super) use facts::Facts;

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::EventId;
use crate::model::expr::Expr;
use crate::model::machine::Machine;
use crate::model::types::Type;
use crate::source::Span;
use crate::syntax::ast;

/// The names that an expression may use.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// The event whose payload can be read.
    pub(super) event: Option<EventId>,
    /// The part of the record that can be read.
    pub(super) record: RecordAccess,
    /// Whether `plans` can be read.
    pub(super) plans: bool,
    /// Whether conditions about tools and events, such as `runs TOOL`, are allowed.
    pub(super) gates: bool,
    /// The meaning of `item`.
    pub(super) item: Item,
    /// The optionals that are proved to be set.
    pub(super) facts: Facts,
}

/// The part of the record that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordAccess {
    /// The whole record.
    Whole,
    /// Only the id that the new record will have.
    IdOnly,
    /// Nothing: there is no record.
    Nothing,
}

/// The meaning of `item`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    /// `item` is not defined.
    None,
    /// An item of a list.
    Of(Type),
    /// A record of `plans`.
    Listed,
}

impl Scope {
    /// Returns a scope with the whole record, but without an event, `plans`, conditions about tools, `item` or facts.
    pub(super) fn of_record() -> Self {
        Self {
            event: None,
            record: RecordAccess::Whole,
            plans: false,
            gates: false,
            item: Item::None,
            facts: Facts::default(),
        }
    }
}

/// Types expressions of one machine.
pub(super) struct Typing<'a> {
    pub(super) machine: &'a Machine,
    pub(super) sink: &'a mut Sink,
    /// Set if an expression reads `event.actor`.
    pub(super) reads_actor: &'a mut bool,
}

impl Typing<'_> {
    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) -> Expr {
        self.sink.push(Diagnostic::new(code, span, message));
        Expr::error(span)
    }

    /// Types a condition.
    pub(super) fn condition(&mut self, written: &ast::Expr, scope: &Scope) -> Expr {
        self.expect(written, &Type::Bool, scope)
    }

    /// Types an expression that must have the required type.
    pub(super) fn expect(&mut self, written: &ast::Expr, wanted: &Type, scope: &Scope) -> Expr {
        let found = self.infer(written, Some(wanted), scope);
        self.fit(found, wanted)
    }

    /// Types an expression that may have any type but must have a value.
    pub(super) fn any(&mut self, written: &ast::Expr, scope: &Scope) -> Expr {
        let found = self.infer(written, None, scope);
        self.proved(found)
    }
}
