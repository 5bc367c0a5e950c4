//! The plan mode of a session, as seed document 002 describes it (see `docs/seeds.md`).

use plan_machine::Id;
use plan_machine::gate::Gate;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_sessions::SessionIdentity;

use super::maybe::maybe;

/// Returns the state of a session's plan mode. The plan mode is the first machine of the session that has at most one
/// plan at a time, which a person approves.
#[must_use]
pub(crate) fn plans_json(
    session: &SessionIdentity,
    gate: &Gate,
    seq: u64,
    updated: Option<Instant>,
    text: Option<&str>,
) -> Json {
    let modes = gate.machine_set().plan_modes();
    let mode = modes.first().copied();
    let machine = mode.and_then(|mode| {
        let mut machines = gate.machines().iter();
        machines.find(|machine| machine.description().name == mode)
    });
    let slot = machine.and_then(|machine| machine.slot_plan());
    let state = machine.map(|machine| {
        let tables = machine.description();
        tables.state(machine.batch_start().place()).name
    });
    let mut object = Object::new();
    object.push("sessionId", session.to_string());
    object.push("enabled", slot.is_some());
    object.push("activePlanId", maybe(slot.as_ref().map(Id::as_str)));
    object.push("state", maybe(state));
    object.push("updatedAt", maybe(updated.map(|at| at.to_string())));
    object.push("active", seq > 0);
    object.push("seq", seq);
    if let Some(text) = text {
        object.push("text", text);
    }
    let mut plans = Vec::new();
    for machine in gate.machines() {
        let tables = machine.description();
        for plan in machine.plans() {
            let state = tables.state_named(&plan.state);
            let mut object = Object::new();
            object.push("machine", tables.name);
            object.push("planId", plan.id.as_str());
            object.push("state", &*plan.state);
            let is_final = state.is_some_and(|state| tables.state(state).is_final);
            object.push("final", is_final);
            object.push("token", plan.token.as_str());
            object.push("revision", plan.revision);
            let expires = plan.expires(tables);
            object.push("expires", maybe(expires.map(|at| at.to_string())));
            plans.push(Json::Object(object));
        }
    }
    object.push("plans", plans);
    object.into()
}

/// Returns the plans of a session with their states.
#[must_use]
pub(crate) fn plan_states(gate: &Gate) -> Json {
    let mut rows = Vec::new();
    for machine in gate.machines() {
        for plan in machine.plans() {
            let mut object = Object::new();
            object.push("machine", machine.description().name);
            object.push("plan", plan.id.as_str());
            object.push("state", &*plan.state);
            rows.push(Json::Object(object));
        }
    }
    Json::List(rows)
}
