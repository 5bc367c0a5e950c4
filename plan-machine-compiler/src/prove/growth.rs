//! `only grows`: which changes never make a number smaller or a list shorter, whatever the data is.

use super::limits::limit;
use super::numbers::Range;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Helper, Quantifier};
use crate::model::machine::{ChangeKind, HandlerKind, Machine, Property};
use crate::model::types::Type;
use crate::model::value::Value;
use crate::model::{FieldId, TransitionId};

/// Returns the fields of `only grows` invariants that some change may make smaller, depending on the values.
pub(super) fn growing_by_value(machine: &Machine) -> Vec<FieldId> {
    let invariants = machine.invariants.iter();
    let claimed = invariants.filter_map(|invariant| match invariant.property {
        Property::OnlyGrows(field) => Some(field),
        _ => None,
    });
    let is_open = |field: &FieldId| {
        let mut changes = machine.transition_ids();
        changes.any(|id| !surely_grows(machine, id, *field))
    };
    claimed.filter(is_open).collect()
}

/// Returns whether a transition never makes a field smaller, whatever the data is. A list is smaller if it is shorter.
pub(super) fn surely_grows(machine: &Machine, id: TransitionId, field: FieldId) -> bool {
    let transition = machine.transition(id);
    let mut changes = transition.changes.iter();
    let change = changes.find(|change| change.field == field);
    match change.map(|change| &change.kind) {
        None | Some(ChangeKind::Append(_) | ChangeKind::Insert(..) | ChangeKind::Update { .. }) => {
            true
        }
        Some(ChangeKind::Set(value)) => {
            let facts = Facts {
                all: conditions(machine, id),
                field,
            };
            value.kind == ExprKind::Data(field)
                || (*value.ty.required() == Type::Int && facts.at_least(value))
        }
        Some(ChangeKind::Clear | ChangeKind::Remove(_)) => false,
    }
}

/// Returns the conditions that are known to be true or false if a transition is taken.
fn conditions(machine: &Machine, id: TransitionId) -> Vec<(&Expr, bool)> {
    let transition = machine.transition(id);
    let whens = transition.when.iter().map(|when| (&when.expr, true));
    let requires = transition.require.iter();
    let requires = requires.map(|require| (&require.that.expr, true));
    let mut all: Vec<(&Expr, bool)> = whens.chain(requires).collect();
    if let HandlerKind::Transitions(alternatives) = &machine.handler(transition.handler).kind {
        let earlier = alternatives.iter().take_while(|other| **other != id);
        let whens = earlier.filter_map(|other| machine.transition(*other).when.as_ref());
        all.extend(whens.map(|when| (&when.expr, false)));
    }
    all
}

/// What is known about the record before a step, and the field that is compared with its earlier value.
struct Facts<'m> {
    all: Vec<(&'m Expr, bool)>,
    field: FieldId,
}

impl Facts<'_> {
    /// Returns whether a value is at least the earlier value of the field.
    fn at_least(&self, value: &Expr) -> bool {
        let value = stripped(value);
        let by_form = match &value.kind {
            ExprKind::Data(field) => *field == self.field,
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                (self.at_least(left) && self.range(right).least >= 0)
                    || (self.range(left).least >= 0 && self.at_least(right))
            }
            ExprKind::Binary(BinaryOp::Subtract, left, right) => {
                self.at_least(left) && self.range(right).most <= 0
            }
            _ => false,
        };
        let mut facts = self.all.iter();
        by_form || facts.any(|(condition, truth)| self.says_so(condition, *truth, value))
    }

    /// Returns the range of a number that is added to the field or subtracted from it.
    fn range(&self, number: &Expr) -> Range {
        let number = stripped(number);
        match &number.kind {
            ExprKind::Value(Value::Int(number)) => return Range::of(*number),
            ExprKind::Call(Helper::Len, _) | ExprKind::Quantified(Quantifier::Count, ..) => {
                return Range::up_to(0, None);
            }
            _ => {}
        }
        let mut range = Range::ANY;
        for (condition, truth) in &self.all {
            limit(
                condition,
                *truth,
                &|one| stripped(one) == number,
                &mut range,
            );
        }
        range
    }

    /// Returns whether a condition with this truth value implies that a value is at least as large as the field.
    fn says_so(&self, condition: &Expr, truth: bool, value: &Expr) -> bool {
        match (&condition.kind, truth) {
            (ExprKind::Not(inner), _) => self.says_so(inner, !truth, value),
            (ExprKind::Binary(BinaryOp::And, left, right), true)
            | (ExprKind::Binary(BinaryOp::Or, left, right), false) => {
                self.says_so(left, truth, value) || self.says_so(right, truth, value)
            }
            (ExprKind::Binary(op, left, right), _) => {
                let is_field = |expr: &Expr| stripped(expr).kind == ExprKind::Data(self.field);
                let is_value = |expr: &Expr| stripped(expr) == value;
                let (greater, less) = match (op, truth) {
                    (BinaryOp::Greater | BinaryOp::GreaterEqual, true)
                    | (BinaryOp::Less | BinaryOp::LessEqual, false) => (left, right),
                    (BinaryOp::Less | BinaryOp::LessEqual, true)
                    | (BinaryOp::Greater | BinaryOp::GreaterEqual, false) => (right, left),
                    _ => return false,
                };
                is_value(greater) && is_field(less)
            }
            _ => false,
        }
    }
}

/// Returns an expression without the wrappers that mark optionals as known to be set.
fn stripped(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Proved(inner) => stripped(inner),
        _ => expr,
    }
}
