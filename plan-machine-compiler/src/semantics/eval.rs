//! Evaluates expressions.

use std::cell::Cell;
use std::sync::Arc;

use plan_machine_kernel::json::{Json, Object};
#[cfg(feature = "markdown")]
use plan_machine_kernel::markdown;
use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::stored;
use plan_machine_kernel::time::Instant;

use super::convert::to_json;
use super::record::Record;
use super::review::token;
use crate::model::expr::{
    BinaryOp, Expr, ExprKind, Helper, Is, ListedPart, Part, PlanPart, Quantifier,
};
use crate::model::types::Type;
use crate::model::value::Value;
use crate::model::{Machine, StateId};

/// How often a byte of a text that is put together counts: it is copied once into the text, and once more wherever the
/// text goes.
const COPIES: usize = 2;

/// What each part of a text counts besides its bytes: evaluating it takes time even if it is empty.
const PART: usize = 8;

/// How often a byte of a text counts that is parsed as Markdown. Parsing takes longer than copying.
#[cfg(feature = "markdown")]
const PARSING: usize = 16;

/// How often a text is parsed to replace one of its sections: to find the section, and, if there is none, to find out
/// how to append it. This is more than usual, because a text that ends in an open block is parsed more often.
#[cfg(feature = "markdown")]
const PARSED_TO_REPLACE: usize = 6;

/// The reason why an expression has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// An optional that the expression needs is unset. In a checked spec, this happens only in a requirement that
    /// follows a failed requirement.
    Unset,
    /// A number overflowed.
    Overflow,
    /// A value that was built for storage became too large.
    TooLarge,
    /// The step has built too many bytes.
    TooMuchWork,
}

pub(super) type Evaluated = Result<Value, Fault>;

/// The environment of an expression.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) machine: &'a Machine,
    /// The record; `None` if there is no plan.
    pub(super) record: Option<&'a Record>,
    /// The id of the record that this step creates.
    pub(super) new_id: Option<&'a Arc<str>>,
    /// The payload.
    pub(super) event: &'a [Value],
    pub(super) context: &'a [Value],
    pub(super) now: Instant,
    /// The item that is being examined, and its position.
    pub(super) item: Option<(&'a Value, i64)>,
    /// The records of the session after the step, in the order of creation.
    pub(super) plans: &'a [&'a Record],
    /// The record that `plans where` is examining.
    pub(super) listed: Option<&'a Record>,
    /// Whether built values are stored in the record; stored values must not grow without limit.
    pub(super) stores: bool,
    /// The number of bytes that the step may still build, if there is a limit.
    pub(super) room: Option<&'a Cell<usize>>,
}

impl<'a> Scope<'a> {
    /// Returns the record that state conditions and `final` refer to.
    fn subject(&self) -> Option<&'a Record> {
        self.listed.or(self.record)
    }

    fn leaf(&self) -> StateId {
        self.subject().map_or(StateId::NONE, Record::leaf)
    }

    /// Returns whether a condition holds.
    pub(super) fn holds(&self, condition: &Expr) -> Result<bool, Fault> {
        Ok(self.eval(condition)? == Value::Bool(true))
    }

    /// Returns the string that an expression evaluates to.
    pub(super) fn text(&self, expr: &Expr) -> Result<String, Fault> {
        let value = self.eval(expr)?;
        self.refuse_beyond_room(value.weight())?;
        Ok(shown(self.machine, &value, &expr.ty))
    }

    /// Subtracts bytes from the budget of the step.
    fn charge(&self, bytes: usize) -> Result<(), Fault> {
        let Some(room) = self.room else {
            return Ok(());
        };
        let left = room.get().checked_sub(bytes);
        room.set(left.unwrap_or(0));
        left.map(|_| ()).ok_or(Fault::TooMuchWork)
    }

    /// Refuses to build a value of this size if the budget of the step is too small for it.
    fn refuse_beyond_room(&self, bytes: usize) -> Result<(), Fault> {
        match self.room {
            Some(room) if room.get() < bytes => Err(Fault::TooMuchWork),
            _ => Ok(()),
        }
    }

    /// Returns a string that was built, after subtracting its size from the budget.
    #[cfg(feature = "markdown")]
    fn made_text(&self, text: String) -> Evaluated {
        self.charge(text.len())?;
        if self.stores && text.len() > stored::MOST_BYTES {
            return Err(Fault::TooLarge);
        }
        Ok(Value::text(text))
    }

    /// Returns a JSON value that was built, after subtracting its size from the budget.
    fn made_json(&self, json: Json, inner: &Expr) -> Evaluated {
        let bytes = stored::bytes_of(&json);
        self.charge(bytes)?;
        if self.stores && inner.is_put_together() && bytes > stored::MOST_BYTES {
            return Err(Fault::TooLarge);
        }
        Ok(Value::Json(Arc::new(json)))
    }

    /// Returns the value of an expression.
    pub(super) fn eval(&self, expr: &Expr) -> Evaluated {
        let value = self.evaluated(expr)?;
        if self.room.is_some() && expr.is_reading() {
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
            ExprKind::List(items) => {
                let items: Result<Vec<Value>, Fault> =
                    items.iter().map(|item| self.eval(item)).collect();
                Value::List(items?)
            }
            ExprKind::ToJson(inner) => match self.eval(inner)? {
                Value::Unset => Value::Unset,
                value => {
                    self.refuse_beyond_room(value.weight())?;
                    self.made_json(to_json(self.machine, &value, &inner.ty), inner)?
                }
            },
            // If a claim depends on which calls take an alternative, it has no value in a single state.
            ExprKind::Gate(gate, tool) => {
                let claim = self.machine.gate(self.leaf(), *gate, *tool);
                Value::Bool(claim.ok_or(Fault::Unset)?)
            }
            ExprKind::Error => return Err(Fault::Unset),
        })
    }

    fn plan(&self, part: PlanPart) -> Evaluated {
        if let (PlanPart::Id, None, Some(id)) = (part, self.record, self.new_id) {
            return Ok(Value::Text(Arc::clone(id)));
        }
        let record = self.record.ok_or(Fault::Unset)?;
        Ok(match part {
            PlanPart::Id => Value::Text(Arc::clone(&record.id)),
            PlanPart::Revision => count(record.revision),
            PlanPart::Edition => count(record.edition),
            PlanPart::Token => Value::text(String::from(token(self.machine, record))),
            PlanPart::State => Value::text(self.machine.state(record.leaf()).name.as_str()),
            PlanPart::Previous => match &record.previous {
                Some(id) => Value::Text(Arc::clone(id)),
                None => Value::Unset,
            },
        })
    }

    fn at(&self, list: &Expr, index: &Expr) -> Evaluated {
        let (Value::List(mut items), Value::Int(index)) = (self.eval(list)?, self.eval(index)?)
        else {
            return Err(Fault::Unset);
        };
        Ok(match usize::try_from(index) {
            Ok(index) if index < items.len() => items.swap_remove(index),
            _ => Value::Unset,
        })
    }

    fn call(&self, helper: Helper, arguments: &[Expr]) -> Evaluated {
        #[cfg(feature = "markdown")]
        let text = |at: usize| match self.eval(&arguments[at])? {
            Value::Text(text) => Ok(text),
            _ => Err(Fault::Unset),
        };
        #[cfg(feature = "markdown")]
        let parsed = |times: usize| {
            let text = text(0)?;
            self.charge(text.len().saturating_mul(times * PARSING))?;
            Ok(text)
        };
        Ok(match helper {
            Helper::Len => {
                let length = match self.eval(&arguments[0])? {
                    Value::Text(text) => text.chars().count(),
                    Value::List(items) => items.len(),
                    Value::Json(json) => json.as_list().map_or(0, <[Json]>::len),
                    _ => 0,
                };
                Value::Int(i64::try_from(length).map_err(|_| Fault::Overflow)?)
            }
            #[cfg(feature = "markdown")]
            Helper::Section => match markdown::section(&parsed(1)?, &text(1)?) {
                Some(body) => Value::text(body),
                None => Value::Unset,
            },
            #[cfg(feature = "markdown")]
            Helper::WithSection => {
                let parsed = parsed(PARSED_TO_REPLACE)?;
                self.made_text(markdown::with_section(&parsed, &text(1)?, &text(2)?))?
            }
            #[cfg(feature = "markdown")]
            Helper::IsComplete => Value::Bool(markdown::is_complete(&parsed(1)?)),
            // Specs that use these helpers have already been rejected (see `Helper::is_available`).
            #[cfg(not(feature = "markdown"))]
            Helper::Section | Helper::WithSection | Helper::IsComplete => {
                return Err(Fault::Unset);
            }
        })
    }

    fn binary(&self, op: BinaryOp, left: &Expr, right: &Expr) -> Evaluated {
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

    fn is(&self, inner: &Expr, asked: Is) -> Result<bool, Fault> {
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

    fn membership(&self, inner: &Expr, items: &[Expr]) -> Evaluated {
        let value = self.eval(inner)?;
        for item in items {
            if self.eval(item)? == value {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }

    /// Evaluates a quantifier by counting the items of a list for which a condition holds.
    fn quantified(&self, quantifier: Quantifier, list: &Expr, condition: &Expr) -> Evaluated {
        let (found, all) = if let ExprKind::Plans(filter) = &list.kind {
            self.plans_where(filter.as_deref(), condition)?
        } else {
            let Value::List(items) = self.eval(list)? else {
                return Err(Fault::Unset);
            };
            (self.items_where(&items, condition)?, items.len())
        };
        Ok(match quantifier {
            Quantifier::Any => Value::Bool(found > 0),
            Quantifier::Every => Value::Bool(found == all),
            Quantifier::No => Value::Bool(found == 0),
            Quantifier::Count => Value::Int(i64::try_from(found).map_err(|_| Fault::Overflow)?),
        })
    }

    fn items_where(&self, items: &[Value], condition: &Expr) -> Result<usize, Fault> {
        let mut found = 0_usize;
        for (index, item) in items.iter().enumerate() {
            let index = i64::try_from(index).map_err(|_| Fault::Overflow)?;
            let inside = Scope {
                item: Some((item, index)),
                stores: false,
                ..*self
            };
            found += usize::from(inside.holds(condition)?);
        }
        Ok(found)
    }

    /// Returns the number of listed plans that satisfy a condition, and the number of all listed plans.
    fn plans_where(
        &self,
        filter: Option<&Expr>,
        condition: &Expr,
    ) -> Result<(usize, usize), Fault> {
        let (mut found, mut all) = (0_usize, 0_usize);
        for record in self.plans {
            let inside = Scope {
                listed: Some(record),
                stores: false,
                ..*self
            };
            if let Some(filter) = filter
                && !inside.holds(filter)?
            {
                continue;
            }
            all += 1;
            found += usize::from(inside.holds(condition)?);
        }
        Ok((found, all))
    }

    /// Evaluates `plans`: the id, state, revision and summary of each record.
    fn listed(&self, condition: Option<&Expr>) -> Evaluated {
        let mut all = Vec::new();
        for record in self.plans {
            let inside = Scope {
                listed: Some(record),
                stores: false,
                ..*self
            };
            if let Some(condition) = condition
                && !inside.holds(condition)?
            {
                continue;
            }
            let mut object = Object::new();
            object.push("id", &*record.id);
            object.push("state", self.machine.state(record.leaf()).name.as_str());
            object.push("revision", record.revision);
            for field in &self.machine.summary {
                let declared = self.machine.field(*field);
                let value = &record.data[field.index()];
                if value.is_set() {
                    self.refuse_beyond_room(value.weight())?;
                    object.insert(
                        declared.name.clone(),
                        to_json(self.machine, value, &declared.ty),
                    );
                }
            }
            let listed = Json::Object(object);
            self.charge(stored::bytes_of(&listed))?;
            all.push(listed);
        }
        Ok(Value::Json(Arc::new(Json::List(all))))
    }

    fn listed_part(&self, part: ListedPart) -> Evaluated {
        let record = self.listed.ok_or(Fault::Unset)?;
        Ok(match part {
            ListedPart::Id => Value::Text(Arc::clone(&record.id)),
            ListedPart::State => Value::text(self.machine.state(record.leaf()).name.as_str()),
            ListedPart::Revision => count(record.revision),
            ListedPart::Field(field) => record.data[field.index()].clone(),
        })
    }

    fn template(&self, parts: &[Part]) -> Evaluated {
        let mut text = String::new();
        let stores = self.stores && parts.iter().any(Part::is_unbounded);
        for part in parts {
            let shown;
            let part = match part {
                Part::Literal(literal) => literal.as_str(),
                Part::Expr(expr) => {
                    shown = self.text(expr)?;
                    &shown
                }
            };
            if stores && text.len() + part.len() > stored::MOST_BYTES {
                return Err(Fault::TooLarge);
            }
            // The budget limits the text before it grows, because each part may be large and there may be many parts.
            self.charge(part.len() * COPIES + PART)?;
            text.push_str(part);
        }
        Ok(Value::text(text))
    }

    fn record_value(&self, fields: &[Option<Expr>], ty: &Type) -> Evaluated {
        let declared = match ty.required() {
            Type::Record(id) => self.machine.type_def(*id).fields(),
            _ => &[],
        };
        let values: Evaluated = fields
            .iter()
            .enumerate()
            .map(|(at, field)| match field {
                Some(expr) => self.eval(expr),
                None => Ok(declared
                    .get(at)
                    .and_then(super::super::model::types::Field::start)
                    .unwrap_or(Value::Unset)),
            })
            .collect::<Result<Vec<Value>, Fault>>()
            .map(Value::Record);
        values
    }
}

fn count(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
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

/// Formats a value inside a string: strings as they are; lists, records and JSON as canonical JSON.
fn shown(machine: &Machine, value: &Value, ty: &Type) -> String {
    match (value, ty.required()) {
        (Value::Text(text), _) => text.to_string(),
        (Value::Int(number), _) => number.to_string(),
        (Value::Bool(truth), _) => truth.to_string(),
        (Value::Time(instant), _) => instant.to_string(),
        (Value::Enum(place), Type::Enum(id)) => {
            let values = machine.type_def(*id).values();
            values.get(*place as usize).cloned().unwrap_or_default()
        }
        (value, ty) => to_json(machine, value, ty).canonical(),
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

/// Returns whether a condition holds for a payload; `None` if the condition reads anything besides the payload.
#[must_use]
pub fn holds_for(
    machine: &Machine,
    payload: &[Value],
    condition: &Expr,
    now: Instant,
) -> Option<bool> {
    of_nothing(machine, payload, now).holds(condition).ok()
}

/// Returns the value of an expression for a payload; `None` if the expression reads anything besides the payload.
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

/// Returns a scope without a record and without a context.
pub(super) fn of_nothing<'a>(machine: &'a Machine, event: &'a [Value], now: Instant) -> Scope<'a> {
    Scope {
        machine,
        record: None,
        new_id: None,
        event,
        context: &[],
        now,
        item: None,
        plans: &[],
        listed: None,
        stores: false,
        room: None,
    }
}

#[cfg(test)]
#[path = "eval_tests.rs"]
mod tests;
