//! The parts from which typed expressions are made.

use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::types::Type;
use crate::source::Span;
use crate::syntax::ast;

/// A binary expression before its operands are typed.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    pub(super) op: BinaryOp,
    pub(super) left: &'a ast::Expr,
    pub(super) right: &'a ast::Expr,
    pub(super) span: Span,
}

impl Written<'_> {
    pub(super) fn typed(self, left: Expr, right: Expr, ty: Type) -> Expr {
        Expr::new(
            ExprKind::Binary(self.op, Box::new(left), Box::new(right)),
            ty,
            self.span,
        )
    }
}

/// Returns a condition.
pub(super) fn truth(kind: ExprKind, span: Span) -> Expr {
    Expr::new(kind, Type::Bool, span)
}
