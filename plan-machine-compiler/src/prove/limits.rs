//! Derives the possible range of a number from its comparison with a constant.

use super::numbers::Range;
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::value::Value;

/// Returns the numbers of a range that are also in another range; the whole range if the other range is `None` or does
/// not overlap with the first range.
pub(super) fn narrowed(range: Range, measured: Option<Range>) -> Range {
    measured
        .and_then(|measured| range.and(measured))
        .unwrap_or(range)
}

/// Narrows the range of a number by the assumption that a condition is true or false.
pub(super) fn limit(
    condition: &Expr,
    truth: bool,
    is_number: &dyn Fn(&Expr) -> bool,
    range: &mut Range,
) {
    match (&condition.kind, truth) {
        (ExprKind::Not(inner), _) => limit(inner, !truth, is_number, range),
        (ExprKind::Binary(BinaryOp::And, left, right), true)
        | (ExprKind::Binary(BinaryOp::Or, left, right), false) => {
            limit(left, truth, is_number, range);
            limit(right, truth, is_number, range);
        }
        (ExprKind::Binary(op, left, right), _) => {
            let known = match (&left.kind, &right.kind) {
                (_, ExprKind::Value(Value::Int(bound))) if is_number(left) => {
                    compared(*op, *bound, truth)
                }
                (ExprKind::Value(Value::Int(bound)), _) if is_number(right) => {
                    mirrored(*op).and_then(|op| compared(op, *bound, truth))
                }
                _ => None,
            };
            *range = narrowed(*range, known);
        }
        _ => {}
    }
}

/// Returns the range of the numbers for which a comparison with a constant has this truth value; `None` if these
/// numbers do not form a single range.
fn compared(op: BinaryOp, bound: i64, truth: bool) -> Option<Range> {
    let up_to = |most: Option<i64>| most.map(|most| Range { most, ..Range::ANY });
    let from = |least: Option<i64>| {
        least.map(|least| Range {
            least,
            ..Range::ANY
        })
    };
    match (op, truth) {
        (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => Some(Range::of(bound)),
        (BinaryOp::Less, true) | (BinaryOp::GreaterEqual, false) => up_to(bound.checked_sub(1)),
        (BinaryOp::LessEqual, true) | (BinaryOp::Greater, false) => up_to(Some(bound)),
        (BinaryOp::Greater, true) | (BinaryOp::LessEqual, false) => from(bound.checked_add(1)),
        (BinaryOp::GreaterEqual, true) | (BinaryOp::Less, false) => from(Some(bound)),
        _ => None,
    }
}

/// Returns the comparison with its sides exchanged.
fn mirrored(op: BinaryOp) -> Option<BinaryOp> {
    match op {
        BinaryOp::Less => Some(BinaryOp::Greater),
        BinaryOp::LessEqual => Some(BinaryOp::GreaterEqual),
        BinaryOp::Greater => Some(BinaryOp::Less),
        BinaryOp::GreaterEqual => Some(BinaryOp::LessEqual),
        BinaryOp::Equal | BinaryOp::NotEqual => Some(op),
        _ => None,
    }
}
