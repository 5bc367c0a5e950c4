//! Types binary expressions and membership tests.

use super::parts::{Written, truth};
use super::{Scope, Typing};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::shown_type;
use crate::model::types::Type;
use crate::source::Span;
use crate::syntax::ast;

impl Typing<'_> {
    pub(super) fn binary(
        &mut self,
        written: Written<'_>,
        wanted: Option<&Type>,
        scope: &Scope,
    ) -> Expr {
        match written.op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => self.logic(written, scope),
            BinaryOp::Equal | BinaryOp::NotEqual => self.equality(written, scope),
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                self.order(written, scope)
            }
            BinaryOp::Coalesce => self.coalesce(written, wanted, scope),
            BinaryOp::Add | BinaryOp::Subtract => {
                let left = self.expect(written.left, &Type::Int, scope);
                let right = self.expect(written.right, &Type::Int, scope);
                written.typed(left, right, Type::Int)
            }
        }
    }

    /// Types a logical operator. The right side is evaluated only if the left side does not determine the result, so it
    /// may rely on the facts that follow from the left side.
    fn logic(&mut self, written: Written<'_>, scope: &Scope) -> Expr {
        let left = self.condition(written.left, scope);
        let mut then = scope.clone();
        let holds = written.op != BinaryOp::Or;
        then.facts.assume(self.machine, &left, holds);
        let right = self.condition(written.right, &then);
        written.typed(left, right, Type::Bool)
    }

    fn equality(&mut self, written: Written<'_>, scope: &Scope) -> Expr {
        let Written { left, right, .. } = written;
        for (side, other) in [(left, right), (right, left)] {
            if let Some(name) = self.nothing(side) {
                return self.compared_with_nothing(written, &name, side.span, other);
            }
        }
        let (left, right) = self.same(left, right, scope);
        written.typed(left, right, Type::Bool)
    }

    /// Returns the name on one side of a comparison if other languages use that name for "no value" and the spec does
    /// not declare it.
    fn nothing(&self, side: &ast::Expr) -> Option<String> {
        let ast::ExprKind::Name(name) = &side.node else {
            return None;
        };
        let machine = self.machine;
        let values = |name: &String| machine.types.iter().any(|ty| ty.values().contains(name));
        let known = machine.data.iter().any(|field| field.name == *name)
            || machine.state_named(name).is_some()
            || values(name);
        let word = matches!(name.as_str(), "null" | "nil" | "None" | "undefined");
        (word && !known).then(|| name.clone())
    }

    fn compared_with_nothing(
        &mut self,
        written: Written<'_>,
        name: &str,
        place: Span,
        other: &ast::Expr,
    ) -> Expr {
        let asked = if written.op == BinaryOp::Equal {
            "is not set"
        } else {
            "is set"
        };
        let help = match &other.node {
            ast::ExprKind::Name(field) => format!("write `{field} {asked}`"),
            _ => format!("`{asked}` tests whether an optional has a value"),
        };
        let message = format!("unknown value `{name}`");
        let found = Diagnostic::new(Code::PM0102, place, message);
        self.sink.push(found.help(help));
        Expr::error(written.span)
    }

    /// Types two operands that must have the same type. The operand that determines its type by itself is typed first,
    /// so that the other operand can be read as a value of that type: an enum value, or a string as an instant or an
    /// id.
    fn same(&mut self, left: &ast::Expr, right: &ast::Expr, scope: &Scope) -> (Expr, Expr) {
        if self.tells_type(left) {
            let left = self.any(left, scope);
            let right = self.expect(right, &left.ty.clone(), scope);
            return self.as_json_together(left, right);
        }
        let right = self.any(right, scope);
        let left = self.expect(left, &right.ty.clone(), scope);
        self.as_json_together(left, right)
    }

    fn as_json_together(&mut self, left: Expr, right: Expr) -> (Expr, Expr) {
        for (side, other) in [(&left, &right), (&right, &left)] {
            if matches!(side.ty, Type::Data | Type::Plans) && other.ty != Type::Unknown {
                let message = format!("{} cannot be compared", shown_type(self.machine, &side.ty));
                self.report(Code::PM0401, side.span, message);
            }
        }
        (left, right)
    }

    fn tells_type(&self, written: &ast::Expr) -> bool {
        match &written.node {
            ast::ExprKind::Text(_) => false,
            ast::ExprKind::Name(name) => {
                self.machine.data.iter().any(|field| field.name == *name)
                    || matches!(name.as_str(), "item" | "index" | "now")
            }
            _ => true,
        }
    }

    fn order(&mut self, written: Written<'_>, scope: &Scope) -> Expr {
        let (left, right) = self.same(written.left, written.right, scope);
        if !matches!(left.ty, Type::Int | Type::Time | Type::Unknown) {
            let message = format!(
                "numbers and instants can be ordered, but values of the type `{}` cannot",
                shown_type(self.machine, &left.ty)
            );
            return self.report(Code::PM0401, written.span, message);
        }
        written.typed(left, right, Type::Bool)
    }

    fn coalesce(&mut self, written: Written<'_>, wanted: Option<&Type>, scope: &Scope) -> Expr {
        let left = self.infer(written.left, wanted, scope);
        let known = matches!(left.kind, ExprKind::Proved(_));
        if !left.ty.is_optional() && !known && left.ty != Type::Unknown {
            let message = "this value is always set, so `??` has no effect";
            return self.report(Code::PM0401, left.span, message);
        }
        let value = left.ty.required().clone();
        let right = self.expect(written.right, &value.clone().optional(), scope);
        let ty = if right.ty.is_optional() {
            value.optional()
        } else {
            value
        };
        written.typed(left, right, ty)
    }

    pub(super) fn membership(
        &mut self,
        inner: &ast::Expr,
        items: &[ast::Expr],
        span: Span,
        scope: &Scope,
    ) -> Expr {
        let inner = self.any(inner, scope);
        let wanted = inner.ty.clone();
        let items = items
            .iter()
            .map(|item| self.expect(item, &wanted, scope))
            .collect();
        truth(ExprKind::In(Box::new(inner), items), span)
    }
}
