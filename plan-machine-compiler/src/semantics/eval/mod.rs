//! Evaluates expressions.

mod built;
mod helpers;
mod lists;
mod operators;
mod plan;
mod scope;

use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;

use super::record::Record;
use crate::model::Machine;
use crate::model::expr::{Expr, ExprKind};
use crate::model::value::Value;

use scope::Evaluated;
pub(super) use scope::{Fault, Scope, of_nothing};

impl Scope<'_> {
    /// Returns whether a condition holds.
    pub(super) fn holds(&self, condition: &Expr) -> Result<bool, Fault> {
        Ok(self.eval(condition)? == Value::Bool(true))
    }

    /// Returns the value of an expression.
    pub(super) fn eval(&self, expr: &Expr) -> Evaluated {
        self.count_evaluation()?;
        let value = self.evaluated(expr)?;
        if self.budget.is_some() && expr.is_reading() {
            self.charge(value.weight() / 16)?;
        }
        Ok(value)
    }

    fn evaluated(&self, expr: &Expr) -> Evaluated {
        Ok(match &expr.kind {
            ExprKind::Value(value) => value.clone(),
            ExprKind::Data(field) => self.record.ok_or(Fault::Unset)?.data[field.index()].clone(),
            ExprKind::AllData => Value::Record(self.record.ok_or(Fault::Unset)?.data.clone()),
            ExprKind::Event(field) => self.event.get(field.index()).cloned().ok_or(Fault::Unset)?,
            ExprKind::Context(field) => self
                .context
                .get(field.index())
                .cloned()
                .ok_or(Fault::Unset)?,
            ExprKind::Plan(part) => self.plan(*part)?,
            ExprKind::Now => Value::Time(self.now),
            ExprKind::Item => self.item.ok_or(Fault::Unset)?.0.clone(),
            ExprKind::Index => Value::Int(self.item.ok_or(Fault::Unset)?.1),
            ExprKind::Member(base, field) => match self.eval(base)? {
                Value::Record(mut values) => values.swap_remove(field.index()),
                _ => return Err(Fault::Unset),
            },
            ExprKind::Proved(inner) => match self.eval(inner)? {
                Value::Unset => return Err(Fault::Unset),
                value => value,
            },
            ExprKind::At(list, index) => self.at(list, index)?,
            ExprKind::Call(helper, arguments) => self.call(*helper, arguments)?,
            ExprKind::Not(inner) => Value::Bool(!self.holds(inner)?),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right)?,
            ExprKind::Is(inner, asked, negated) => Value::Bool(self.is(inner, *asked)? != *negated),
            ExprKind::In(inner, items) => self.membership(inner, items)?,
            ExprKind::Quantified(quantifier, list, condition) => {
                self.quantified(*quantifier, list, condition)?
            }
            ExprKind::Plans(condition) => self.listed(condition.as_deref())?,
            ExprKind::Listed(part) => self.listed_part(*part)?,
            ExprKind::InState(state) => Value::Bool(self.machine.is_within(self.leaf(), *state)),
            ExprKind::IsFinal => Value::Bool(self.machine.is_final(self.leaf())),
            ExprKind::Template(parts) => self.template(parts)?,
            ExprKind::Record(fields) => self.record_value(fields, &expr.ty)?,
            ExprKind::List(items) => self.list_value(items)?,
            ExprKind::ToJson(inner) => self.json(inner)?,
            // A claim that depends on the alternatives for a call has no value here, because the state alone does not
            // decide the claim.
            ExprKind::Gate(gate, tool) => {
                let claim = self.machine.gate(self.leaf(), *gate, *tool);
                Value::Bool(claim.ok_or(Fault::Unset)?)
            }
            ExprKind::Error => return Err(Fault::Unset),
        })
    }
}

/// Returns whether the condition of an invariant holds for a record, or for "no plan"; `None` if the condition reads
/// missing data.
#[must_use]
pub fn holds(
    machine: &Machine,
    record: Option<&Record>,
    condition: &Expr,
    now: Instant,
) -> Option<bool> {
    let scope = Scope {
        record,
        ..of_nothing(machine, &[], now)
    };
    scope.holds(condition).ok()
}

/// Returns whether a condition holds for a payload; `None` if the condition has no value, for example because it reads
/// the record or the context.
#[must_use]
pub fn holds_for(
    machine: &Machine,
    payload: &[Value],
    condition: &Expr,
    now: Instant,
) -> Option<bool> {
    of_nothing(machine, payload, now).holds(condition).ok()
}

/// Returns the value of an expression for a payload; `None` if it has none, for example because it reads the record or
/// the context.
#[must_use]
pub fn value_for(machine: &Machine, payload: &[Value], expr: &Expr, now: Instant) -> Option<Value> {
    of_nothing(machine, payload, now).eval(expr).ok()
}

/// Returns the number of items for which a condition on items holds. An item for which the condition has no value does
/// not count.
#[must_use]
pub fn satisfying(machine: &Machine, items: &[Value], condition: &Expr) -> usize {
    let nothing = of_nothing(machine, &[], START_OF_TIME);
    let holds = |(at, item)| {
        let item = Some((item, i64::try_from(at).unwrap_or(i64::MAX)));
        Scope { item, ..nothing }.holds(condition) == Ok(true)
    };
    items.iter().enumerate().filter(|one| holds(*one)).count()
}

#[cfg(test)]
mod tests;
