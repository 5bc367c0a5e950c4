//! Types a condition on one machine that is written in another document, such as the invariant of a session.

use super::typing::{Scope, Typing};
use crate::diagnostic::Sink;
use crate::model::Machine;
use crate::model::expr::Expr;
use crate::syntax::ast;

/// Types a condition on a plan of the machine. Returns `None` if the condition has errors, which were reported. An
/// optional counts as set only if the condition itself proves it.
pub(crate) fn condition(machine: &Machine, written: &ast::Expr, sink: &mut Sink) -> Option<Expr> {
    let before = sink.count();
    // A condition on a plan has no event, so it cannot read a sender.
    let mut reads_actor = false;
    let mut typing = Typing {
        machine,
        sink,
        reads_actor: &mut reads_actor,
    };
    let expr = typing.condition(written, &Scope::of_record());
    for suspect in sink.take_suspects() {
        sink.push(suspect.diagnostic);
    }
    (sink.count() == before).then_some(expr)
}
