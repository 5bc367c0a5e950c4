//! The parts of a plan, besides its data, that an expression can read.

use std::sync::Arc;

use super::scope::{Evaluated, Fault, Scope};
use crate::model::expr::{ListedPart, PlanPart};
use crate::model::value::Value;
use crate::semantics::review::token;

impl Scope<'_> {
    pub(super) fn plan(&self, part: PlanPart) -> Evaluated {
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

    pub(super) fn listed_part(&self, part: ListedPart) -> Evaluated {
        let record = self.listed.ok_or(Fault::Unset)?;
        Ok(match part {
            ListedPart::Id => Value::Text(Arc::clone(&record.id)),
            ListedPart::State => Value::text(self.machine.state(record.leaf()).name.as_str()),
            ListedPart::Revision => count(record.revision),
            ListedPart::Field(field) => record.data[field.index()].clone(),
        })
    }
}

fn count(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}
