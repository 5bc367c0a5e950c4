//! Measures of lists: the length of a list of the record, or how many of its items satisfy a condition. The prover
//! tracks a measure like a number. `TrackedMeasures` says which measures are tracked.

use super::abstraction::Abs;
use super::numbers::Range;
use crate::model::FieldId;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Helper, Quantifier};
use crate::model::machine::{Change, ChangeKind, Machine, Which};
use crate::model::types::Type;
use crate::model::value::Value;
use crate::semantics::satisfying;

/// The maximum number of tracked measures: each of them multiplies the number of configurations.
pub(super) const MAX_MEASURES: usize = 8;

/// Which measures are tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TrackedMeasures {
    /// No measures.
    Nothing,
    /// The lengths and counts that a condition compares, and the lengths of the lists in `only grows` invariants.
    Compared,
    /// The measures of `Compared`, the counts on which quantifiers in invariants depend, and the lengths that determine
    /// whether a position exists or a list has room.
    Asked,
}

/// What a measure counts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tally {
    /// The list.
    pub(super) field: FieldId,
    /// The condition on the counted items; without one, all items are counted.
    pub(super) condition: Option<Expr>,
}

/// A tracked measure with its distinguished ranges.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measure {
    pub(super) tally: Tally,
    pub(super) cells: Vec<Range>,
}

impl Tally {
    /// Returns the tally of all items of a list.
    pub(super) fn length(field: FieldId) -> Self {
        Self {
            field,
            condition: None,
        }
    }

    /// Returns what an expression counts: `len(list)` or `count list where condition`.
    pub(super) fn of(machine: &Machine, expr: &Expr) -> Option<Self> {
        match &expr.kind {
            ExprKind::Call(Helper::Len, arguments) => Self::new(machine, arguments.first()?, None),
            ExprKind::Quantified(Quantifier::Count, list, condition) => {
                Self::new(machine, list, Some(condition))
            }
            _ => None,
        }
    }

    /// Returns the count that decides a quantifier: `any` holds if the count is not zero, and `no` and `every` hold if
    /// it is zero. For `every`, the items that do not satisfy the condition are counted.
    pub(super) fn asked(machine: &Machine, expr: &Expr) -> Option<Self> {
        let ExprKind::Quantified(quantifier, list, condition) = &expr.kind else {
            return None;
        };
        match quantifier {
            Quantifier::Any | Quantifier::No => Self::new(machine, list, Some(condition)),
            Quantifier::Every => Self::new(machine, list, Some(&negated(condition))),
            Quantifier::Count => None,
        }
    }

    fn new(machine: &Machine, list: &Expr, condition: Option<&Expr>) -> Option<Self> {
        let ExprKind::Data(field) = list.kind else {
            return None;
        };
        let is_list = matches!(machine.data.get(field.index())?.ty, Type::List(_));
        let closed = condition.is_none_or(depends_on_item_alone);
        (is_list && closed).then(|| Self {
            field,
            condition: condition.cloned(),
        })
    }

    /// Returns the number of items of a concrete list that are counted.
    pub(super) fn number(&self, machine: &Machine, list: &Value) -> i64 {
        let Value::List(items) = list else {
            return 0;
        };
        let number = match &self.condition {
            None => items.len(),
            Some(condition) => satisfying(machine, items, condition),
        };
        i64::try_from(number).unwrap_or(i64::MAX)
    }

    /// Returns the number of items that are counted in the initial value of the list.
    pub(super) fn start(&self, machine: &Machine) -> i64 {
        let start = machine.field(self.field).start();
        start.map_or(0, |start| self.number(machine, &start))
    }

    /// Returns the numbers that the measure can have.
    pub(super) fn limits(&self, machine: &Machine) -> Range {
        Range::up_to(0, machine.field(self.field).max)
    }
}

impl Measure {
    /// Returns the distinguished ranges that overlap with a range.
    pub(super) fn within(&self, range: Range) -> impl Iterator<Item = Range> {
        let cells = self.cells.iter().copied();
        cells.filter(move |cell| cell.meets(range))
    }

    /// Returns the value in a configuration that represents a number.
    pub(super) fn stored(&self, number: i64) -> Abs {
        let cell = self.within(Range::of(number)).next();
        Abs::Int(cell.unwrap_or(Range::of(number)))
    }
}

/// Returns the opposite of a condition.
pub(super) fn negated(condition: &Expr) -> Expr {
    match &condition.kind {
        ExprKind::Not(inner) => (**inner).clone(),
        _ => Expr {
            kind: ExprKind::Not(Box::new(condition.clone())),
            ..condition.clone()
        },
    }
}

/// Returns whether a condition on an item depends on nothing but the item, and always has a value.
fn depends_on_item_alone(condition: &Expr) -> bool {
    let mut alone = true;
    condition.walk(&mut |inner| {
        alone &= match &inner.kind {
            ExprKind::Value(_)
            | ExprKind::Item
            | ExprKind::Member(..)
            | ExprKind::Proved(_)
            | ExprKind::Not(_)
            | ExprKind::Is(..)
            | ExprKind::In(..) => true,
            ExprKind::Binary(op, ..) => !matches!(op, BinaryOp::Add | BinaryOp::Subtract),
            ExprKind::Call(helper, _) => *helper == Helper::Len,
            _ => false,
        };
    });
    alone
}

/// Returns the constant with which the length of a list is compared to decide whether a change is possible: the
/// position of a removal or an update, or the maximum length of the list if an item is added.
pub(super) fn needed_length(machine: &Machine, change: &Change) -> Option<i64> {
    let position = match &change.kind {
        ChangeKind::Append(_) | ChangeKind::Insert(..) => {
            let max = machine.field(change.field).max;
            return max.and_then(|max| i64::try_from(max).ok());
        }
        ChangeKind::Remove(at)
        | ChangeKind::Update {
            which: Which::At(at),
            ..
        } => at,
        _ => return None,
    };
    match position.kind {
        ExprKind::Value(Value::Int(at)) => Some(at),
        _ => None,
    }
}

/// Returns the lists of the record that a change may copy into its field.
pub(super) fn copied_lists(change: &ChangeKind) -> Vec<FieldId> {
    match change {
        ChangeKind::Set(value) => lists_in(value),
        _ => Vec::new(),
    }
}

fn lists_in(value: &Expr) -> Vec<FieldId> {
    match &value.kind {
        ExprKind::Data(field) if matches!(value.ty, Type::List(_)) => vec![*field],
        ExprKind::Proved(inner) => lists_in(inner),
        ExprKind::Binary(BinaryOp::Coalesce, left, right) => {
            lists_in(left).into_iter().chain(lists_in(right)).collect()
        }
        _ => Vec::new(),
    }
}
