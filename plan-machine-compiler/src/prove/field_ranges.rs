//! The range of each number that a plan stores, whatever happens to the plan.

use crate::model::expr::{BinaryOp, Expr, ExprKind, Helper, PlanPart, Quantifier};
use crate::model::machine::{ChangeKind, Machine, Transition};
use crate::model::types::{Field, Type};
use crate::model::value::Value;

/// The largest step of a counter: a counter needs trillions of such steps to come near the limit.
const MOST_STEP: i128 = 1 << 20;
/// The largest initial value of a counter.
const MOST_START: i128 = 1 << 61;
/// The largest value that a counter is assumed to reach.
const FAR: i128 = 1 << 62;
/// The maximum length that a list or a string is assumed to have.
pub(super) const MOST_LENGTH: i128 = 1 << 40;

/// All numbers.
pub(super) const ANY: Range = (i64::MIN as i128, i64::MAX as i128);

/// The minimum and the maximum of a number.
pub(super) type Range = (i128, i128);

/// Returns the range of each field that is a number; `None` for other fields, and for fields that are never set.
pub(super) fn field_ranges(machine: &Machine) -> Vec<Option<Range>> {
    let starts = machine.data.iter().map(Field::start);
    let mut ranges: Vec<Option<Range>> = starts.map(|start| constant(start.as_ref()?)).collect();
    // The loop ends, because only finitely many limits can occur: the limits in the spec, the limits of counters, and
    // the limits of 64-bit integers.
    loop {
        let mut grew = false;
        for transition in &machine.transitions {
            for change in &transition.changes {
                let ChangeKind::Set(value) = &change.kind else {
                    continue;
                };
                if !matches!(machine.field(change.field).ty.required(), Type::Int) {
                    continue;
                }
                let written = TransitionWrites {
                    transition,
                    fields: &ranges,
                };
                let (at, new) = (change.field.index(), written.range(value));
                let both = joined(ranges[at], new);
                grew |= both != ranges[at];
                ranges[at] = both;
            }
        }
        if !grew {
            return ranges;
        }
    }
}

/// Returns whether an expression counts things; such counts never come near the limit in practice.
pub(super) fn is_count(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Call(Helper::Len, _)
            | ExprKind::Quantified(Quantifier::Count, ..)
            | ExprKind::Index
            | ExprKind::Plan(PlanPart::Revision | PlanPart::Edition)
    )
}

fn constant(value: &Value) -> Option<Range> {
    match value {
        Value::Int(number) => Some(near((i128::from(*number), i128::from(*number)))),
        _ => None,
    }
}

/// Removes each limit of a range that is too far from zero for the initial value of a counter: the range then contains
/// all numbers on that side.
fn near(range: Range) -> Range {
    let least = if range.0 < -MOST_START {
        ANY.0
    } else {
        range.0
    };
    let most = if range.1 > MOST_START { ANY.1 } else { range.1 };
    (least, most)
}

fn joined(one: Option<Range>, other: Option<Range>) -> Option<Range> {
    match (one, other) {
        (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
        (one, other) => one.or(other),
    }
}

fn negated(range: Range) -> Range {
    (-range.1, -range.0)
}

/// The values that a transition writes.
struct TransitionWrites<'a> {
    transition: &'a Transition,
    fields: &'a [Option<Range>],
}

/// The parts of a sum: the counters, and the range of everything that is added to them.
struct Growth {
    counters: u32,
    /// The range of the first counter that has a value, if there is one.
    counter: Option<Range>,
    added: Range,
    /// The maximum total that the constants and the numbers of the event add or subtract.
    step: i128,
}

impl TransitionWrites<'_> {
    /// Returns the range of a value; `None` if it has no value.
    fn range(&self, value: &Expr) -> Option<Range> {
        match &value.kind {
            ExprKind::Value(value) => constant(value),
            ExprKind::Data(field) => self.fields[field.index()],
            ExprKind::Proved(inner) => self.range(inner),
            ExprKind::Event(_) | ExprKind::Context(_) => Some(near(self.limited(&value.kind))),
            ExprKind::Binary(BinaryOp::Coalesce, left, right) => {
                joined(self.range(left), self.range(right))
            }
            ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) => self.counted(value),
            kind if is_count(kind) => Some((0, MOST_LENGTH)),
            _ => Some(ANY),
        }
    }

    /// Returns the range of a sum. A counter that grows or shrinks in small steps may go far in that direction, but
    /// never comes near the limits of integers.
    fn counted(&self, sum: &Expr) -> Option<Range> {
        let growth = self.growth(sum).filter(|found| {
            let is_small = found.step <= MOST_STEP;
            is_small && found.counters <= 1
        });
        let Some(growth) = growth else {
            return Some(ANY);
        };
        if growth.counters == 0 {
            return Some(near(growth.added));
        }
        let (least, most) = growth.counter?;
        let least = match growth.added.0 {
            0.. => least,
            _ if least < -FAR => ANY.0,
            _ => -FAR,
        };
        let most = match growth.added.1 {
            ..=0 => most,
            _ if most > FAR => ANY.1,
            _ => FAR,
        };
        Some((least, most))
    }

    /// Returns the parts of a sum; `None` if one of them may be any number.
    fn growth(&self, sum: &Expr) -> Option<Growth> {
        let fixed = |added: Range, step: i128| Growth {
            counters: 0,
            counter: None,
            added,
            step,
        };
        let counter = |range: Option<Range>| Growth {
            counters: 1,
            counter: range,
            added: (0, 0),
            step: 0,
        };
        match &sum.kind {
            ExprKind::Value(Value::Int(number)) => {
                let number = i128::from(*number);
                Some(fixed((number, number), number.abs()))
            }
            ExprKind::Data(_) | ExprKind::Binary(BinaryOp::Coalesce, ..) => {
                Some(counter(self.range(sum)))
            }
            ExprKind::Proved(inner) => self.growth(inner),
            ExprKind::Event(_) | ExprKind::Context(_) => {
                let range = self.limited(&sum.kind);
                Some(fixed(range, range.0.abs().max(range.1.abs())))
            }
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), left, right) => {
                let (left, mut right) = (self.growth(left)?, self.growth(right)?);
                if *op == BinaryOp::Subtract {
                    right.counter = right.counter.map(negated);
                    right.added = negated(right.added);
                }
                Some(Growth {
                    counters: left.counters.saturating_add(right.counters),
                    counter: left.counter.or(right.counter),
                    added: (left.added.0 + right.added.0, left.added.1 + right.added.1),
                    step: left.step + right.step,
                })
            }
            kind => is_count(kind).then(|| fixed((0, MOST_LENGTH), 0)),
        }
    }

    /// Returns the range that the conditions of the transition leave for a number of the event or of the context.
    fn limited(&self, number: &ExprKind) -> Range {
        let required = self.transition.require.iter().map(|one| &one.that.expr);
        let conditions = self.transition.when.iter().map(|when| &when.expr);
        conditions
            .chain(required)
            .fold(ANY, |range, condition| limit(range, condition, number))
    }
}

/// Returns the part of a range in which a condition can be true.
fn limit(range: Range, condition: &Expr, number: &ExprKind) -> Range {
    let ExprKind::Binary(op, left, right) = &condition.kind else {
        return range;
    };
    if *op == BinaryOp::And {
        return limit(limit(range, left, number), right, number);
    }
    let (op, constant) = match (is(left, number), is(right, number)) {
        (true, false) => (*op, right),
        (false, true) => (op.mirrored(), left),
        _ => return range,
    };
    let ExprKind::Value(Value::Int(constant)) = constant.kind else {
        return range;
    };
    let constant = i128::from(constant);
    let (least, most) = match op {
        BinaryOp::Equal => (constant, constant),
        BinaryOp::Less => (ANY.0, constant - 1),
        BinaryOp::LessEqual => (ANY.0, constant),
        BinaryOp::Greater => (constant + 1, ANY.1),
        BinaryOp::GreaterEqual => (constant, ANY.1),
        _ => ANY,
    };
    (range.0.max(least), range.1.min(most))
}

fn is(expr: &Expr, number: &ExprKind) -> bool {
    match &expr.kind {
        ExprKind::Proved(inner) => is(inner, number),
        kind => kind == number,
    }
}
