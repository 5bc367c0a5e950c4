//! Numeric expressions: sums, lengths and counts, and comparisons between them.

use super::abstraction::{Abs, of_value};
use super::evaluate::Scope;
use super::limits::{limit, narrowed};
use super::measures::{Tally, negated};
use super::numbers::Range;
use super::truth::Truth;
use crate::model::FieldId;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Helper, Quantifier};
use crate::model::types::Type;
use crate::model::value::Value;

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

    /// Returns whether a value is, or contains, a sum or difference that always overflows. An overflow causes the step
    /// to be denied.
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
        let range = match self.value(of) {
            Abs::Empty => Range::of(0),
            Abs::Items(_) => Range::up_to(1, self.most_items(of)),
            Abs::Text { blank: false } => Range::up_to(1, None),
            _ => Range::up_to(0, self.most_items(of)),
        };
        let measured = match &of.kind {
            ExprKind::Data(field) => self.measured(*field, None),
            ExprKind::List(items) => i64::try_from(items.len()).ok().map(Range::of),
            ExprKind::Value(Value::List(items)) => i64::try_from(items.len()).ok().map(Range::of),
            _ => self.assumed(&|number| match &number.kind {
                ExprKind::Call(Helper::Len, arguments) => arguments.first() == Some(of),
                _ => false,
            }),
        };
        narrowed(range, measured)
    }

    /// Returns how many items of a list satisfy a condition.
    pub(super) fn count(&self, list: &Expr, condition: &Expr) -> Range {
        let most = self.most_items(list);
        let range = match (self.value(list), self.over_items(list, condition)) {
            (Abs::Empty, _) | (Abs::Items(_), Some(Truth::No)) => Range::of(0),
            (Abs::Items(_), Some(Truth::Yes)) => Range::up_to(1, most),
            _ => Range::up_to(0, most),
        };
        let measured = match &list.kind {
            ExprKind::Data(field) => self.measured(*field, Some(condition)),
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.value(item));
                Some(self.count_among(items, condition))
            }
            ExprKind::Value(Value::List(items)) => {
                let Type::List(ty) = &list.ty else {
                    return range;
                };
                let items = items.iter().map(|item| of_value(self.machine, item, ty));
                Some(self.count_among(items, condition))
            }
            _ => self.assumed(&|number| match &number.kind {
                ExprKind::Quantified(Quantifier::Count, one, other) => {
                    **one == *list && **other == *condition
                }
                _ => false,
            }),
        };
        narrowed(range, measured)
    }

    /// Returns the range to which the assumptions of this step limit a number.
    fn assumed(&self, is_number: &dyn Fn(&Expr) -> bool) -> Option<Range> {
        let mut range = Range::ANY;
        for (condition, truth) in &self.known.assumed {
            limit(condition, *truth, is_number, &mut range);
        }
        (range != Range::ANY).then_some(range)
    }

    /// Returns how many of the given items satisfy a condition.
    fn count_among(&self, items: impl Iterator<Item = Abs>, condition: &Expr) -> Range {
        items.fold(Range::of(0), |sum, item| {
            let (least, most) = self.about(&item, condition).times();
            sum.moved(least, most)
        })
    }

    /// Returns the tracked length of a list of the record, or the tracked number of items that satisfy a condition.
    fn measured(&self, field: FieldId, condition: Option<&Expr>) -> Option<Range> {
        let mut measures = self.measures.iter();
        let is = |tally: &Tally| tally.field == field && tally.condition.as_ref() == condition;
        let at = measures.position(|measure| is(&measure.tally))?;
        match self.data.get(self.machine.data.len() + at)? {
            Abs::Int(range) => Some(*range),
            _ => None,
        }
    }

    /// Returns whether a quantifier holds, as far as the tracked number of items that satisfy its condition determines
    /// this.
    pub(super) fn by_count(&self, quantifier: Quantifier, list: &Expr, condition: &Expr) -> Truth {
        let ExprKind::Data(field) = list.kind else {
            return Truth::Unknown;
        };
        let found = |condition: &Expr| match self.measured(field, Some(condition)) {
            Some(range) if range.least > 0 => Truth::Yes,
            Some(range) if range.most == 0 => Truth::No,
            _ => Truth::Unknown,
        };
        match quantifier {
            Quantifier::Any => found(condition),
            Quantifier::No => found(condition).not(),
            Quantifier::Every => found(&negated(condition)).not(),
            Quantifier::Count => Truth::Unknown,
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
