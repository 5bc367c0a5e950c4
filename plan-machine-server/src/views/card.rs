//! Cards: what a person approves, in full, with the decisions that can be made.

use plan_machine::gate::Gate;
use plan_machine::machine::PlanView;
use plan_machine_agents::keeper::unreported;
use plan_machine_kernel::digest::short;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::session::CommandPrefix;
use plan_machine_kernel::time::Instant;
use plan_machine_sessions::SessionIdentity;

use super::history::{Version, baseline_json};
use super::maybe::maybe;
use crate::content::fields_json;
use crate::inbox::{Action, WaitingPlan, actions};
use crate::project::SessionDocuments;

/// A plan that waits for a person.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    /// The machine.
    pub(crate) machine: &'static str,
    /// The name of the state for people.
    pub(crate) title: &'static str,
    /// The plan.
    pub(crate) plan: PlanView,
    /// The decisions that can be made.
    pub(crate) actions: Vec<Action>,
    /// The instant at which a timer ends the time for a decision.
    pub(crate) expires: Option<Instant>,
}

/// Returns the cards of a session.
#[must_use]
pub(crate) fn cards(gate: &Gate) -> Vec<Card> {
    let mut cards = Vec::new();
    for machine in gate.machines() {
        let tables = machine.description();
        for plan in machine.plans() {
            let Some(state) = tables.state_named(&plan.state) else {
                continue;
            };
            let actions = actions(tables, state);
            if !actions.is_empty() {
                cards.push(Card {
                    machine: tables.name,
                    title: tables.shown_state(state),
                    expires: plan.expires(tables),
                    plan,
                    actions,
                });
            }
        }
    }
    cards
}

/// Returns a card of a session for a page. `waiting` is the item of the index for the plan, and `baseline` is the
/// content with which a person compares the plan.
#[must_use]
pub(crate) fn card_json(
    documents: &SessionDocuments,
    session: &SessionIdentity,
    card: &Card,
    waiting: Option<&WaitingPlan>,
    baseline: Option<(&'static str, &Version)>,
) -> Json {
    let plan = &card.plan;
    let prefix = documents.machines().prefix();
    let mut object = Object::new();
    object.push("machine", card.machine);
    object.push("plan", plan.id.as_str());
    object.push("state", &*plan.state);
    object.push("title", card.title);
    let asked = card.actions.iter().find(|action| action.reviewed);
    object.push("asked", asked.map_or("", |action| action.event.doc).trim());
    object.push("token", plan.token.as_str());
    object.push("shortToken", short(&plan.token));
    object.push("edition", plan.edition);
    object.push("revision", plan.revision);
    object.push("since", maybe(waiting.map(|one| one.since.to_string())));
    object.push("expires", maybe(card.expires.map(|at| at.to_string())));
    let machine = documents.member(card.machine).map(|(_, machine)| machine);
    let content = machine.map(|machine| fields_json(machine, &plan.data));
    object.push("content", content.unwrap_or_default());
    let unreported = machine.and_then(|machine| unreported(machine, session));
    object.push("unreported", maybe(unreported));
    let actions = card.actions.iter();
    let actions = actions.map(|action| action_json(action, prefix, plan));
    object.push("actions", actions.collect::<Vec<Json>>());
    let baseline = baseline.map(|(why, version)| baseline_json(why, version));
    object.push("baseline", maybe(baseline));
    object.into()
}

fn action_json(action: &Action, prefix: CommandPrefix, plan: &PlanView) -> Json {
    let typed = action.text.replacen('/', &prefix.as_char().to_string(), 1);
    let typed = typed.replace("{token?}", short(&plan.token));
    let typed = typed.replace("{plan_id}", plan.id.as_str());
    let typed = typed.replace("{plan_id?}", plan.id.as_str());
    let mut object = Object::new();
    object.push("name", action.name);
    object.push("event", action.event.name);
    object.push("doc", action.event.doc.trim());
    object.push("reason", typed.contains('{'));
    object.push("typed", typed);
    object.into()
}
