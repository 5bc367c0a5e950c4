//! Numeric expressions: sums, lengths and counts, and comparisons between them.

use super::abstraction::Abs;
use super::evaluate::Scope;
use super::numbers::Range;
use super::truth::Truth;
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::types::Type;

impl Scope<'_> {
    /// Returns the range of the number that an expression evaluates to.
    pub(super) fn range(&self, expr: &Expr) -> Range {
        match self.value(expr) {
            Abs::Int(range) => range,
            _ => Range::ANY,
        }
    }

    /// Returns whether one value is less than another. For instants, the result is always unknown.
    pub(super) fn is_less(&self, left: &Expr, right: &Expr) -> Truth {
        let (one, other) = (self.range(left), self.range(right));
        if *left.ty.required() == Type::Int {
            one.is_less_than(other)
        } else {
            Truth::Unknown
        }
    }

    /// Returns whether a value is a sum that always overflows. An overflow causes the step to be denied.
    pub(super) fn never_fits(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Proved(inner) => self.never_fits(inner),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
                self.never_fits(left)
                    || self.never_fits(right)
                    || self.sum(*op, left, right).is_none()
            }
            _ => false,
        }
    }

    /// Returns whether a sum or difference never overflows.
    pub(super) fn always_fits(&self, sum: &Expr) -> bool {
        match &sum.kind {
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
                let (left, right) = (self.range(left), self.range(right));
                match op {
                    BinaryOp::Subtract => left.minus_fits(right),
                    _ => left.plus_fits(right),
                }
            }
            _ => false,
        }
    }

    /// Returns the range of a sum or difference; `None` if it always overflows.
    pub(super) fn sum(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Range> {
        let (left, right) = (self.range(left), self.range(right));
        match op {
            BinaryOp::Subtract => left.minus(right),
            _ => left.plus(right),
        }
    }

    /// Returns the number of items in a list, or the number of characters in a string.
    pub(super) fn length(&self, of: &Expr) -> Range {
        match self.value(of) {
            Abs::Empty => Range::of(0),
            Abs::Items(_) => Range::up_to(1, self.most_items(of)),
            Abs::Text { blank: false } => Range::up_to(1, None),
            _ => Range::up_to(0, self.most_items(of)),
        }
    }

    /// Returns how many items of a list satisfy a condition.
    pub(super) fn count(&self, list: &Expr, condition: &Expr) -> Range {
        let most = self.most_items(list);
        match (self.value(list), self.over_items(list, condition)) {
            (Abs::Empty, _) | (Abs::Items(_), Some(Truth::No)) => Range::of(0),
            (Abs::Items(_), Some(Truth::Yes)) => Range::up_to(1, most),
            _ => Range::up_to(0, most),
        }
    }

    /// Returns the maximum number of items in a list of the record.
    fn most_items(&self, list: &Expr) -> Option<u64> {
        match (&list.kind, &list.ty) {
            (ExprKind::Data(field), Type::List(_)) => self.machine.field(*field).max,
            _ => None,
        }
    }
}
