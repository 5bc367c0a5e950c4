//! A session in full.

use plan_machine::Id;
use plan_machine::gate::Gate;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::visible::{visible, visible_line};
use plan_machine_sessions::SessionIdentity;

use super::calls::calls;
use super::lists::named;
use super::machine::machines;
use super::maybe::maybe;
use crate::content::{fields_json, shortened_json};
use crate::inbox::actions;
use crate::project::SessionDocuments;

/// The maximum length of each text that is shown of a plan's data, in characters.
const LONGEST: usize = 200_000;

/// Returns a session. `cards` are its cards, and `effects` is the number of its pending effects; `None` if no host
/// carries them out.
#[must_use]
pub(crate) fn session_json(
    project: &str,
    session: &SessionIdentity,
    seq: u64,
    (documents, gate): (&SessionDocuments, &Gate),
    cards: Vec<Json>,
    effects: Option<u64>,
) -> Json {
    let mut object = named(project, session);
    object.push("seq", seq);
    object.push("problem", Json::Null);
    object.push("cards", cards);
    object.push("plans", plans(documents, gate));
    let damaged = gate.damaged().iter().map(|damaged| {
        let mut object = Object::new();
        object.push("machine", damaged.machine);
        object.push("plan", damaged.plan.id.as_str());
        object.push("problem", visible(&gate.explain(damaged)));
        Json::Object(object)
    });
    object.push("damaged", damaged.collect::<Vec<Json>>());
    object.push("machines", machines(documents, gate));
    object.push("calls", calls(gate));
    let turn = gate.turn().map(|turn| {
        let mut object = Object::new();
        object.push("id", visible_line(turn.id.as_str()));
        Json::Object(object)
    });
    object.push("turn", maybe(turn));
    object.push("effects", maybe(effects));
    object.into()
}

/// Returns a session that cannot be read. `effects` is the number of its pending effects; `None` if no host carries them
/// out.
#[must_use]
pub(crate) fn damaged_session_json(
    project: &str,
    session: &SessionIdentity,
    seq: u64,
    problem: &str,
    effects: Option<u64>,
) -> Json {
    let mut object = named(project, session);
    object.push("seq", seq);
    object.push("problem", visible(problem));
    for list in ["cards", "plans", "damaged", "machines", "calls"] {
        object.push(list, Vec::<Json>::new());
    }
    object.push("turn", Json::Null);
    object.push("effects", maybe(effects));
    object.into()
}

fn plans(documents: &SessionDocuments, gate: &Gate) -> Json {
    let mut rows = Vec::new();
    for machine in gate.machines() {
        let tables = machine.description();
        let member = documents.member(tables.name);
        for plan in machine.plans() {
            let state = tables.state_named(&plan.state);
            let mut object = Object::new();
            object.push("machine", tables.name);
            object.push("plan", plan.id.as_str());
            object.push("previous", maybe(plan.previous.as_ref().map(Id::as_str)));
            object.push("state", &*plan.state);
            let title = state.map_or(&*plan.state, |state| tables.shown_state(state));
            object.push("title", title);
            let is_final = state.is_some_and(|state| tables.state(state).is_final);
            object.push("final", is_final);
            object.push("revision", plan.revision);
            object.push("edition", plan.edition);
            object.push("token", plan.token.as_str());
            let expires = plan.expires(tables);
            object.push("expires", maybe(expires.map(|at| at.to_string())));
            let content = member.map(|(_, machine)| fields_json(machine, &plan.data));
            object.push("content", content.unwrap_or_default());
            let data = Json::Object(plan.data.clone());
            object.push("data", shortened_json(&data, LONGEST));
            let waits = state.is_some_and(|state| !actions(tables, state).is_empty());
            object.push("waiting", waits);
            rows.push(Json::Object(object));
        }
    }
    Json::List(rows)
}
