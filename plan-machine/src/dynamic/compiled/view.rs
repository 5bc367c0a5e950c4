//! The stored form of a typed plan.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::timers;

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
            timers: timers::stored(timer_names::<L>(), record.timers.as_ref()),
        }
    }
}

/// Returns the names of a machine's timers, in their order.
pub(super) fn timer_names<L: Steps>() -> impl Iterator<Item = &'static str> {
    let timers = L::HAS_TIMERS.then(|| L::MACHINE.timers());
    timers
        .into_iter()
        .flatten()
        .map(|event| L::MACHINE.event(event).name)
}
