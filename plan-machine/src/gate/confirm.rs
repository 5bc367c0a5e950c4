//! A decision is used at once or confirmed: between the two, somebody may have closed the gate.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};

use super::state::Gate;
use crate::core::description::Handling;
use crate::core::host_tool::HostTool;
use crate::core::id::Id;
use crate::dynamic::machine::{Denial, PlanView};

/// A call of a host tool that was decided: it may run once it is confirmed, by [`Gate::confirm`] or `Session::confirm`.
///
/// It cannot be copied, so that one decision leads to one call.
#[derive(Debug, PartialEq)]
pub struct AllowedCall {
    call: HostTool,
    /// Where each machine was that let it run.
    places: Vec<MachinePlace>,
    /// The session that decided, where it was one.
    session: Option<String>,
}

/// A call of a host tool that may run now. Only a confirmation makes one: a host whose tools take nothing else cannot
/// run a call that nobody allowed, or that was allowed before the gate closed.
#[derive(Debug, PartialEq)]
pub struct ConfirmedCall(HostTool);

/// Where a machine is: the plan in its slot, and the state that decides about host tools.
#[derive(Clone, Debug, PartialEq)]
struct MachinePlace {
    machine: &'static str,
    plan: Option<Id>,
    state: u16,
}

impl AllowedCall {
    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.call.tool
    }

    /// What it was called with.
    #[must_use]
    pub fn args(&self) -> &Json {
        &self.call.args
    }

    /// Binds the call to the session that decided.
    #[doc(hidden)]
    pub fn bind(&mut self, session: &str) {
        self.session = Some(session.to_owned());
    }

    /// Whether this session decided, or none did.
    #[doc(hidden)]
    pub fn is_of(&self, session: &str) -> bool {
        self.session.as_deref() == Some(session)
    }
}

impl ConfirmedCall {
    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.0.tool
    }

    /// What it is called with.
    #[must_use]
    pub fn args(&self) -> &Json {
        &self.0.args
    }
}

impl Gate {
    /// A call that all machines let run where they are now.
    pub(super) fn allow(&self, tool: &str, args: Object) -> AllowedCall {
        AllowedCall {
            call: HostTool::new(tool, args),
            places: self.places(),
            session: None,
        }
    }

    /// Notes where the machines are after the last call of a response: what the response itself has changed does not
    /// withdraw the calls before it, unless they would be denied now.
    #[doc(hidden)]
    pub fn allow_from_here(&self, allowed: &mut AllowedCall) {
        allowed.places = self.places();
    }

    fn places(&self) -> Vec<MachinePlace> {
        let machines = self.machines.iter();
        let places = machines.map(|machine| MachinePlace {
            machine: machine.description().name,
            plan: machine.slot_plan(),
            state: machine.batch_start().place(),
        });
        places.collect()
    }

    /// Confirms a call before it is run. This neither steps nor counts.
    ///
    /// # Errors
    ///
    /// Where a machine that let the call run has changed its state or its plan since, or where a machine would not let it
    /// run now.
    pub fn confirm(&self, allowed: AllowedCall) -> Result<ConfirmedCall, Denial> {
        let tool = allowed.tool();
        if !self.has_host_tool(tool) {
            return Err(withdrawn(
                tool,
                "none",
                "the host does not have it any more",
            ));
        }
        if let Some(at) = self.closed(tool, None) {
            let (machine, state) = self.named_state(at);
            let why = format!("{machine} does not let it run in {state}");
            return Err(withdrawn(tool, state, &why));
        }
        let places = self.places();
        let moved = places
            .iter()
            .position(|place| !allowed.places.contains(place));
        if moved.is_none() && places.len() == allowed.places.len() {
            return Ok(ConfirmedCall(allowed.call));
        }
        let (machine, state) = moved.map_or(("the session", "none"), |at| self.named_state(at));
        let why = format!("{machine} has changed since it was allowed");
        Err(withdrawn(tool, state, &why))
    }

    /// Confirms a call that a plan has recorded, and that the plan lets run by itself: a step that was started.
    ///
    /// # Errors
    ///
    /// Where the plan does not hold such a call or has changed since `plan` was read, and where another machine would not
    /// let the call run now.
    pub fn confirm_recorded(
        &self,
        machine: &str,
        plan: &PlanView,
        call: HostTool,
    ) -> Result<ConfirmedCall, Denial> {
        let tool = &call.tool;
        let denied = |why: &str| Err(withdrawn(tool, &plan.state, why));
        let Some(at) = self.position(machine) else {
            return denied(&format!("the session has no machine {machine}"));
        };
        let plans = self.machines[at].plans();
        let Some(held) = plans.iter().find(|held| held.id == plan.id) else {
            return denied(&format!("{} is not there any more", plan.id));
        };
        if held.revision != plan.revision || held.state != plan.state {
            return denied(&format!("{} has changed since it was read", plan.id));
        }
        if !records(&Json::Object(held.data.clone()), &call) {
            return denied(&format!("{} has recorded no such call", plan.id));
        }
        if let Some(other) = self.closed(tool, Some(at)) {
            let (machine, state) = self.named_state(other);
            return denied(&format!("{machine} does not let it run in {state}"));
        }
        Ok(ConfirmedCall(call))
    }

    /// The first machine that would not let a host tool run now.
    fn closed(&self, tool: &str, except: Option<usize>) -> Option<usize> {
        let mut machines = 0..self.machines.len();
        machines.find(|at| Some(*at) != except && self.handling(*at, tool) != Handling::Runs)
    }

    fn named_state(&self, at: usize) -> (&'static str, &'static str) {
        let machine = &self.machines[at];
        let tables = machine.description();
        (
            tables.name,
            tables.state(machine.batch_start().place()).name,
        )
    }
}

fn withdrawn(tool: &str, state: &str, why: &str) -> Denial {
    Denial {
        kind: DenialKind::NotAllowed,
        messages: vec![format!("`{tool}` may not run any more: {why}")],
        state: state.to_owned(),
        allowed_in: Vec::new(),
    }
}

/// Whether a plan's data holds a call: an object with the tool and the arguments among its fields.
fn records(data: &Json, call: &HostTool) -> bool {
    match data {
        Json::List(items) => items.iter().any(|item| records(item, call)),
        Json::Object(object) => {
            let has = |wanted: &Json| object.iter().any(|(_, value)| value == wanted);
            let is_call = has(&Json::from(call.tool.as_str())) && has(&call.args);
            is_call || object.iter().any(|(_, value)| records(value, call))
        }
        _ => false,
    }
}
