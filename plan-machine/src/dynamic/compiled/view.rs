//! The stored form of a typed plan.

use plan_machine_kernel::json::{Json, Object};

use crate::core::plan::AnyPlan;
use crate::core::steps::Steps;
use crate::core::value::Value;
use crate::dynamic::machine::PlanView;

impl<L: Steps> AnyPlan<L> {
    /// Returns the plan in its stored form.
    #[must_use]
    pub fn view(&self) -> PlanView {
        let record = self.record();
        PlanView {
            id: record.id.clone(),
            previous: record.previous.clone(),
            state: L::state_name(record.state).into(),
            revision: record.revision,
            edition: record.edition,
            token: L::token(record).into(),
            data: match record.data.encode() {
                Json::Object(data) => data,
                _ => Object::new(),
            },
            timers: Object::new(),
        }
    }
}
