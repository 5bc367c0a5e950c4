//! One machine of a session: its chart, its prompt and its commands.

use plan_machine::description::{Description, EventKind, Handling};
use plan_machine::gate::Gate;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::wording::filled;

use super::chart::chart;
use super::maybe::maybe;
use crate::project::SessionDocuments;

/// Returns the machines of a session.
pub(super) fn machines(documents: &SessionDocuments, gate: &Gate) -> Json {
    let machines = gate.machines().iter().map(|machine| {
        let tables = machine.description();
        let mut current = vec![machine.batch_start().place()];
        if tables.is_many() {
            let plans = machine.plans();
            let states = plans.iter();
            let states: Vec<u16> = states
                .filter_map(|plan| tables.state_named(&plan.state))
                .collect();
            if !states.is_empty() {
                current = states;
            }
        }
        current.sort_unstable();
        current.dedup();
        let prefix = documents.machines().prefix();
        let texts = tables.events.iter().filter_map(|event| match event.kind {
            EventKind::Command { text, .. } => Some(text),
            _ => None,
        });
        let prompts = current.iter().map(|state| tables.state(*state).prompt);
        let prompts: Vec<&str> = prompts.filter(|text| !text.is_empty()).collect();
        let prompts = prompts.join("\n");
        let mut object = Object::new();
        object.push("name", tables.name);
        let member = documents.member(tables.name);
        object.push("member", maybe(member.map(|(name, _)| name)));
        object.push("doc", tables.doc.trim());
        object.push("many", tables.is_many());
        object.push("prompt", prefix.shown(prompts.trim(), texts).into_owned());
        object.push("chart", chart(tables, prefix, &current));
        object.push("commands", commands(tables, gate, &current));
        Json::Object(object)
    });
    Json::List(machines.collect())
}

fn commands(tables: &'static Description, gate: &Gate, current: &[u16]) -> Json {
    let prefix = gate.machine_set().prefix().as_char().to_string();
    let commands = (0_u16..).zip(tables.events).filter_map(|(at, event)| {
        let EventKind::Command { text, reviewed, .. } = event.kind else {
            return None;
        };
        let takes = |state: &u16| tables.handling(*state, at) == Handling::Takes;
        let available = current.iter().any(takes);
        let why = current.first().filter(|_| !available);
        let why = why.and_then(|state| filled(tables.unavailable(*state, at)?, &Object::new()));
        let mut object = Object::new();
        object.push("event", event.name);
        object.push("typed", text.replacen('/', &prefix, 1));
        object.push("doc", event.doc.trim());
        object.push("reviewed", reviewed);
        object.push("available", available);
        object.push("why", maybe(why));
        Some(Json::Object(object))
    });
    Json::List(commands.collect())
}
