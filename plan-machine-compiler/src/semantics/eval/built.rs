//! Values that an expression builds: texts, records and JSON.

use std::sync::Arc;

use plan_machine_kernel::json::Json;
use plan_machine_kernel::stored;

use super::scope::{Evaluated, Fault, Scope};
use crate::model::Machine;
use crate::model::expr::{Expr, Part};
use crate::model::types::{Field, Type};
use crate::model::value::Value;
use crate::semantics::convert::to_json;

/// How many times each byte of an assembled text counts toward the budget of a step: the byte is copied into the text,
/// and copied again to the place where the text is used.
const COPIES: usize = 2;

/// The number of bytes that are counted for each part of a text in addition to the part's own bytes: evaluating the
/// part takes time even if it is empty.
const PART: usize = 8;

impl Scope<'_> {
    /// Returns the string that an expression evaluates to.
    pub(in crate::semantics) fn text(&self, expr: &Expr) -> Result<String, Fault> {
        let value = self.eval(expr)?;
        self.refuse_beyond_budget(value.weight())?;
        Ok(shown(self.machine, &value, &expr.ty))
    }

    pub(super) fn list_value(&self, items: &[Expr]) -> Evaluated {
        let items = items.iter().map(|item| self.eval(item));
        items
            .collect::<Result<Vec<Value>, Fault>>()
            .map(Value::List)
    }

    /// Returns the JSON form of a value.
    pub(super) fn json(&self, inner: &Expr) -> Evaluated {
        match self.eval(inner)? {
            Value::Unset => Ok(Value::Unset),
            value => {
                self.refuse_beyond_budget(value.weight())?;
                self.made_json(to_json(self.machine, &value, &inner.ty), inner)
            }
        }
    }

    /// Returns a JSON value that was built, after subtracting its size from the budget.
    fn made_json(&self, json: Json, inner: &Expr) -> Evaluated {
        let bytes = stored::bytes_of(&json);
        self.charge(bytes)?;
        if self.stores && inner.is_put_together() {
            if bytes > stored::MOST_BYTES {
                return Err(Fault::TooLarge);
            }
            if stored::is_deeper(&json, stored::MOST_DEPTH) {
                return Err(Fault::TooDeep);
            }
        }
        Ok(Value::Json(Arc::new(json)))
    }

    pub(super) fn template(&self, parts: &[Part]) -> Evaluated {
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

    pub(super) fn record_value(&self, fields: &[Option<Expr>], ty: &Type) -> Evaluated {
        let declared = match ty.required() {
            Type::Record(id) => self.machine.type_def(*id).fields(),
            _ => &[],
        };
        let values = fields
            .iter()
            .enumerate()
            .map(|(at, field)| match field {
                Some(expr) => self.eval(expr),
                None => Ok(declared
                    .get(at)
                    .and_then(Field::start)
                    .unwrap_or(Value::Unset)),
            })
            .collect::<Result<Vec<Value>, Fault>>();
        values.map(Value::Record)
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
