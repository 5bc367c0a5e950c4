//! Evaluates operators, membership tests, and tests of a single value such as `is set`.

use plan_machine_kernel::json::Json;

use super::scope::{Evaluated, Fault, Scope};
use crate::model::expr::{BinaryOp, Expr, ExprKind, Is};
use crate::model::value::Value;

impl Scope<'_> {
    pub(super) fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Evaluated {
        match op {
            BinaryOp::And => {
                return Ok(Value::Bool(self.holds(left)? && self.holds(right)?));
            }
            BinaryOp::Or => return Ok(Value::Bool(self.holds(left)? || self.holds(right)?)),
            BinaryOp::Implies => {
                return Ok(Value::Bool(!self.holds(left)? || self.holds(right)?));
            }
            BinaryOp::Coalesce => {
                return match self.eval(left)? {
                    Value::Unset => self.eval(right),
                    value => Ok(value),
                };
            }
            _ => {}
        }
        let (left, right) = (self.eval(left)?, self.eval(right)?);
        Ok(match op {
            BinaryOp::Equal => Value::Bool(left == right),
            BinaryOp::NotEqual => Value::Bool(left != right),
            BinaryOp::Add => sum(&left, &right, i64::checked_add)?,
            BinaryOp::Subtract => sum(&left, &right, i64::checked_sub)?,
            _ => Value::Bool(ordered(op, &left, &right)),
        })
    }

    pub(super) fn is(&self, inner: &Expr, asked: Is) -> Result<bool, Fault> {
        // `Proved` must not fail if the condition asks whether the value is set.
        let inner = match (&inner.kind, asked) {
            (ExprKind::Proved(optional), Is::Set) => optional,
            _ => inner,
        };
        Ok(match (asked, self.eval(inner)?) {
            (Is::Set, value) => value.is_set(),
            (Is::Empty, Value::Text(text)) => text.is_empty(),
            (Is::Empty, Value::List(items)) => items.is_empty(),
            (Is::Empty, Value::Json(json)) => json.as_list().is_some_and(<[Json]>::is_empty),
            (Is::Blank, Value::Text(text)) => text.trim().is_empty(),
            _ => false,
        })
    }

    pub(super) fn membership(&self, inner: &Expr, items: &[Expr]) -> Evaluated {
        let value = self.eval(inner)?;
        for item in items {
            if self.eval(item)? == value {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }
}

fn sum(left: &Value, right: &Value, add: fn(i64, i64) -> Option<i64>) -> Evaluated {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => {
            add(*left, *right).map(Value::Int).ok_or(Fault::Overflow)
        }
        _ => Err(Fault::Unset),
    }
}

fn ordered(op: BinaryOp, left: &Value, right: &Value) -> bool {
    let order = match (left, right) {
        (Value::Int(left), Value::Int(right)) => left.cmp(right),
        (Value::Time(left), Value::Time(right)) => left.cmp(right),
        _ => return false,
    };
    match op {
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        _ => order.is_ge(),
    }
}
