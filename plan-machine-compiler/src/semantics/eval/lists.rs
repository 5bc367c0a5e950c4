//! Lists of values, and the plans of a session.

use std::sync::Arc;

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::stored;

use super::scope::{Evaluated, Fault, Scope};
use crate::model::expr::{Expr, ExprKind, Quantifier};
use crate::model::value::Value;
use crate::semantics::convert::to_json;
use crate::semantics::record::Record;

impl<'a> Scope<'a> {
    pub(super) fn at(&self, list: &Expr, index: &Expr) -> Evaluated {
        let (Value::List(mut items), Value::Int(index)) = (self.eval(list)?, self.eval(index)?)
        else {
            return Err(Fault::Unset);
        };
        Ok(match usize::try_from(index) {
            Ok(index) if index < items.len() => items.swap_remove(index),
            _ => Value::Unset,
        })
    }

    /// Evaluates a quantifier by counting the items of a list for which a condition holds.
    pub(super) fn quantified(
        &self,
        quantifier: Quantifier,
        list: &Expr,
        condition: &Expr,
    ) -> Evaluated {
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

    /// Returns the scope in which a condition on the plans of a list is evaluated for this record.
    fn about(&self, record: &'a Record) -> Self {
        Scope {
            listed: Some(record),
            stores: false,
            ..*self
        }
    }

    /// Returns whether the record of this scope is in a list with this filter.
    fn is_listed(&self, filter: Option<&Expr>) -> Result<bool, Fault> {
        filter.map_or(Ok(true), |filter| self.holds(filter))
    }

    /// Returns the number of listed plans that satisfy a condition, and the number of all listed plans.
    fn plans_where(
        &self,
        filter: Option<&Expr>,
        condition: &Expr,
    ) -> Result<(usize, usize), Fault> {
        let (mut found, mut all) = (0_usize, 0_usize);
        for record in self.plans {
            let inside = self.about(record);
            if !inside.is_listed(filter)? {
                continue;
            }
            all += 1;
            found += usize::from(inside.holds(condition)?);
        }
        Ok((found, all))
    }

    /// Evaluates `plans`: the id, state, revision and summary of each record.
    pub(super) fn listed(&self, filter: Option<&Expr>) -> Evaluated {
        let mut all = Vec::new();
        for record in self.plans {
            if self.about(record).is_listed(filter)? {
                all.push(self.listed_record(record)?);
            }
        }
        Ok(Value::Json(Arc::new(Json::List(all))))
    }

    fn listed_record(&self, record: &Record) -> Result<Json, Fault> {
        let mut object = Object::new();
        object.push("id", &*record.id);
        object.push("state", self.machine.state(record.leaf()).name.as_str());
        object.push("revision", record.revision);
        for field in &self.machine.summary {
            let declared = self.machine.field(*field);
            let value = &record.data[field.index()];
            if value.is_set() {
                self.refuse_beyond_budget(value.weight())?;
                let json = to_json(self.machine, value, &declared.ty);
                object.insert(declared.name.clone(), json);
            }
        }
        let listed = Json::Object(object);
        self.charge(stored::bytes_of(&listed))?;
        Ok(listed)
    }
}
