//! Runs recorded calls as the steps of a plan.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::messages::withdrawal;

use super::confirm::{ConfirmedCall, withdrawn};
use super::event_context::EventContext;
use super::send::UnknownName;
use super::state::Gate;
use crate::core::host_tool::HostTool;
use crate::core::id::Id;
use crate::dynamic::machine::{Call, Denial, Outcome};

/// The result of starting a recorded call.
#[derive(Debug, PartialEq)]
pub enum StartedCall {
    /// The plan has started the step, and the call of the step may run.
    Run(ConfirmedCall),
    /// The plan did not start the step, and the event has changed nothing.
    Denied(Denial),
    /// The plan started a step, but it was not the step of the call, or the call must not run now. The host must report
    /// the step as failed.
    Withdrawn(Denial),
}

impl Gate {
    /// Sends the event that starts a step of a plan, and confirms the recorded call of that step. The machine
    /// determines in which states a step can start, and how often, so a call that was not approved, or whose step was
    /// started before, is denied.
    ///
    /// The step is an object in one of the plan's lists. Two of its fields are the tool and the arguments of the call,
    /// and the event must have changed the object.
    ///
    /// # Errors
    ///
    /// If the session has no such machine, or the machine has no such event.
    pub fn start_recorded(
        &mut self,
        machine: &str,
        event: &Call,
        call: HostTool,
        around: &EventContext,
    ) -> Result<StartedCall, UnknownName> {
        let at = self.machine_at(machine)?;
        self.catch_up(around.now);
        let before = self.data_of(at, event.plan_id.as_deref());
        if let Err(denial) = self.deny_closed(&call, Some(at)) {
            return Ok(StartedCall::Denied(denial));
        }
        if let Some(denial) = self.of_another_class(at, &call) {
            return Ok(StartedCall::Denied(denial));
        }
        if !steps(&before, &call).any(|_| true) {
            let denial = withdrawn(&call.tool, "none", withdrawal::NOT_RECORDED);
            return Ok(StartedCall::Denied(denial));
        }
        let plan = match self.send(machine, event, around)? {
            Outcome::Accepted(acceptance) => acceptance.plans.into_iter().next(),
            Outcome::Denied(denial) => return Ok(StartedCall::Denied(denial)),
            Outcome::Run { tool, state } => {
                let denial = withdrawn(&tool, &state, withdrawal::STARTS_NO_STEP);
                return Ok(StartedCall::Denied(denial));
            }
        };
        let after = plan.map(|plan| Json::Object(plan.data)).unwrap_or_default();
        let started =
            steps(&after, &call).any(|step| !steps(&before, &call).any(|old| old == step));
        if !started {
            let denial = withdrawn(&call.tool, "none", withdrawal::STEP_NOT_STARTED);
            return Ok(StartedCall::Withdrawn(denial));
        }
        Ok(match self.started(at, call) {
            Ok(confirmed) => StartedCall::Run(confirmed),
            Err(denial) => StartedCall::Withdrawn(denial),
        })
    }

    /// Returns a denial if no state would record a call of the class that this call has now.
    fn of_another_class(&self, at: usize, call: &HostTool) -> Option<Denial> {
        let class = match self.class_of(&call.tool, &call.args) {
            Ok(class) => class,
            Err(denial) => return Some(denial),
        };
        let name = class.of(&call.tool);
        let class = name.class?;
        let tables = self.machines[at].description();
        let mut states = (0_u16..).zip(tables.states);
        let is_recorded = states.any(|(state, _)| name.handling(tables, state).may_record());
        (!is_recorded).then(|| {
            let why = withdrawal::class_not_recorded(tables.name, class);
            withdrawn(&call.tool, "none", &why)
        })
    }

    /// Returns the data of the plan that an event is addressed to.
    fn data_of(&self, at: usize, plan: Option<&str>) -> Json {
        let machine = &self.machines[at];
        let slot = machine.slot_plan();
        let meant = plan.or(slot.as_ref().map(Id::as_str));
        let mut plans = machine.plans().into_iter();
        let plan = plans.find(|held| Some(held.id.as_str()) == meant);
        plan.map(|plan| Json::Object(plan.data)).unwrap_or_default()
    }
}

/// Returns the steps of a plan that contain a call: items of its lists with the tool and the arguments among their
/// fields. The arguments of calls are not searched for steps, because the model controls them.
fn steps<'d>(data: &'d Json, call: &HostTool) -> impl Iterator<Item = &'d Object> {
    let lists = data.as_object().into_iter().flat_map(Object::iter);
    let items = lists.filter_map(|(_, value)| value.as_list()).flatten();
    items.filter_map(Json::as_object).filter(move |item| {
        let has = |wanted: &Json| item.iter().any(|(_, value)| value == wanted);
        has(&Json::from(call.tool.as_str())) && has(&call.args)
    })
}
