//! `event.actor`: the sender of a command, as the host names it. It is a field of the context that the spec does not
//! declare, so that every later pass treats it like the rest of the context.

use plan_machine_kernel::step::ACTOR_FIELD;

use super::{Resolver, position};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::expr::{Expr, ExprKind, Is};
use crate::model::machine::{Condition, Require};
use crate::model::types::{Field, Type};
use crate::model::value::Value;
use crate::model::{FieldId, HandlerId, TransitionId};
use crate::source::Span;

/// The message for a command that is sent without a sender.
const UNKNOWN_SENDER: &str = "the host did not name the sender of this command";

impl Resolver<'_> {
    /// Adds the field before expressions are resolved.
    pub(super) fn add_actor(&mut self) {
        if let Some(declared) = position(&self.machine.context, ACTOR_FIELD) {
            let span = self.machine.context[declared.index()].span;
            let message =
                format!("the context field `{ACTOR_FIELD}` is reserved for `event.actor`");
            let help = "remove the field, and read `event.actor` in the transitions of commands";
            self.report(Diagnostic::new(Code::PM0105, span, message).help(help));
            return;
        }
        self.machine.context.push(Field {
            name: ACTOR_FIELD.to_owned(),
            span: self.machine.span,
            doc: Some("The sender of a command, as the host names it.".to_owned()),
            ty: Type::Text,
            max: None,
            nonblank: false,
            default: Some(Value::text("")),
        });
    }

    /// Adds a requirement to a handler that reads the sender, so that a command from a sender without a name is denied:
    /// two senders without names must be treated neither as the same person nor as different people.
    pub(super) fn require_actor(&mut self, handler: HandlerId, alternatives: &[TransitionId]) {
        let Some(actor) = position(&self.machine.context, ACTOR_FIELD) else {
            return;
        };
        self.knows_actor = true;
        let span = self.machine.handler(handler).span;
        for id in alternatives {
            let require = &mut self.machine.transitions[id.index()].require;
            require.insert(0, is_named(actor, span));
        }
    }

    /// Removes the field again if nothing reads it.
    pub(super) fn settle_actor(&mut self) {
        let last = self.machine.context.last();
        if !self.knows_actor && last.is_some_and(|field| field.name == ACTOR_FIELD) {
            self.machine.context.pop();
        }
    }
}

/// Returns the requirement that the sender has a name.
fn is_named(actor: FieldId, span: Span) -> Require {
    let made = |kind, ty| Expr::new(kind, ty, span);
    let actor = made(ExprKind::Context(actor), Type::Text);
    Require {
        that: Condition {
            expr: made(ExprKind::Is(Box::new(actor), Is::Blank, true), Type::Bool),
            text: "event.actor is not blank".to_owned(),
        },
        otherwise: made(ExprKind::Value(Value::text(UNKNOWN_SENDER)), Type::Text),
    }
}
