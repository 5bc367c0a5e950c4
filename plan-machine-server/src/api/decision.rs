//! `POST /api/sessions/{session}/decision`: a person approves or rejects exactly what was shown.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use metrics::counter;
use plan_machine::description::{Description, Event, EventKind};
use plan_machine::gate::EventContext;
use plan_machine::machine::{Denial, Outcome};
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::journal::Entry;
use plan_machine_sessions::{Committed, Session};
use tracing::info;

use super::fields::Fields;
use super::person::{PersonEvent, Refusal, plan_of};
use super::roles::AsPerson;
use super::sender::context;
use super::sessions::{complete_card, documents, existing};
use super::shown;
use crate::app::{App, session_of};
use crate::content::fields_json;
use crate::http::json;
use crate::inbox::{actions, name_of};
use crate::metrics::names;
use crate::problem::{Problem, ProblemKind};
use crate::project::ServedProject;
use crate::views::{History, Version, cards, denial_json, maybe, plan_states};

/// The decisions that every request can name. A request can also name a reviewed command of its machine.
const NAMES: [&str; 2] = ["approve", "reject"];

/// The maximum number of entries that are read to find the content that was shown.
const SHOWN_WITHIN: u64 = 2000;

/// The maximum number of entries that are read to find the first response to the same request.
const REPEATED_WITHIN: u32 = 64;

/// A decision that a person requests.
struct Decision {
    name: String,
    machine: String,
    plan: String,
    token: String,
    reason: Option<String>,
    around: EventContext,
}

impl Decision {
    /// Returns the event that makes the decision; `text` is the text of its command.
    fn sent_as(
        &self,
        tables: &'static Description,
        event: &'static Event,
        text: &'static str,
    ) -> PersonEvent<'_> {
        PersonEvent {
            machine: tables.name,
            event: event.name,
            text,
            plan: Some(&self.plan),
            token: Some(&self.token),
            reason: self.reason.as_deref(),
        }
    }

    /// Returns an error if no state of the machine can have this decision.
    fn check_name(&self, tables: &'static Description) -> Result<(), Problem> {
        let name = &self.name;
        let is_command = tables.event_named(name).is_some_and(|event| {
            let kind = tables.event(event).kind;
            matches!(kind, EventKind::Command { reviewed: true, .. })
        });
        if is_command || NAMES.contains(&name.as_str()) {
            return Ok(());
        }
        Err(Problem::invalid(format!(
            "`decision` is `{name}`, expected `approve`, `reject` or the name of a reviewed command"
        )))
    }

    /// Returns whether an entry stores the same decision about the same content of the same plan, for the same reason.
    fn is_stored_in(&self, entry: &Entry, tables: &'static Description) -> bool {
        let event = tables.event_named(entry.event());
        let Some(event) = event.map(|event| tables.event(event)) else {
            return false;
        };
        let EventKind::Command { text, .. } = event.kind else {
            return false;
        };
        let call = self.sent_as(tables, event, text).call();
        name_of(event) == self.name
            && entry.step.machine == tables.name
            && call.is_ok_and(|call| call == entry.step.call)
    }
}

/// Answers `POST /api/sessions/{session}/decision`.
pub(super) async fn decision(
    State(app): State<Arc<App>>,
    AsPerson(who): AsPerson,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let mut fields = Fields::read(&app, request).await?;
    let decision = Decision {
        name: fields.required("decision")?,
        machine: fields.required("machine")?,
        plan: fields.required("plan")?,
        token: fields.required("token")?,
        reason: fields
            .text("reason")?
            .filter(|text| !text.trim().is_empty()),
        around: context(&mut fields, &who)?,
    };
    fields.end()?;
    let project = app.desk.fresh().await?;
    let id = session_of(&id)?;
    let (handle, _) = existing(&project, &id).await?;
    let decided = decide(&app, &project, &handle, &decision).await;
    let outcome = match &decided {
        Ok(_) => "accepted",
        Err(problem) if problem.kind == ProblemKind::Stale => "stale",
        Err(_) => "refused",
    };
    info!(
        target: "plan_machine",
        event = "decision",
        session_identity = %id,
        actor = decision.around.actor.as_deref(),
        decision = decision.name,
        plan = decision.plan,
        token = decision.token,
        outcome,
    );
    let name = NAMES.into_iter().find(|name| *name == decision.name);
    let name = name.unwrap_or("other");
    counter!(names::DECISIONS, "decision" => name, "outcome" => outcome).increment(1);
    decided.map(json)
}

async fn decide(
    app: &App,
    project: &Arc<ServedProject>,
    handle: &Session,
    decision: &Decision,
) -> Result<Json, Problem> {
    let id = handle.identity();
    let machine = decision.machine.as_str();
    let tables = project.tables(id, machine);
    let tables =
        tables.ok_or_else(|| Problem::not_found(format!("unknown machine `{machine}`")))?;
    decision.check_name(tables)?;
    if let Some(answer) = repeated(handle, tables, decision).await? {
        return Ok(answer);
    }
    let found = handle
        .at_gate(|gate| plan_of(gate, machine, &decision.plan))
        .await?;
    let Some(found) = found else {
        return Err(stale(app, project, handle, decision).await);
    };
    if found.token != decision.token {
        return Err(stale(app, project, handle, decision).await);
    }
    let state = tables.state_named(&found.state);
    let actions = state.map_or(Vec::new(), |state| actions(tables, state));
    let Some(action) = actions.iter().find(|action| action.name == decision.name) else {
        let offered = actions.iter();
        let offered: Vec<String> = offered.map(|action| format!("`{}`", action.name)).collect();
        if offered.is_empty() {
            return Err(stale(app, project, handle, decision).await);
        }
        return Err(not_offered(decision, &found.state, &offered));
    };
    shown::check(project, id, machine, &decision.plan, &decision.token).await?;
    let event = decision.sent_as(tables, action.event, action.text);
    let done = event.send(handle, &decision.around).await?;
    let Committed {
        answer,
        seq,
        repeated,
    } = done;
    let outcome = match answer {
        Ok(outcome) => outcome,
        Err(Refusal::Stale | Refusal::Gone) => {
            return Err(stale(app, project, handle, decision).await);
        }
    };
    match &outcome {
        Outcome::Denied(denial) if denial.kind == DenialKind::Stale => {
            Err(stale(app, project, handle, decision).await)
        }
        Outcome::Denied(denial) => Err(denied(denial)),
        Outcome::Accepted(_) | Outcome::Run { .. } => {
            let text = outcome.answer().unwrap_or_default();
            let plans = handle.at_gate(plan_states).await?;
            Ok(accepted(handle, &text, seq, repeated, plans))
        }
    }
}

/// Returns the problem for a decision that is not possible in the plan's state.
fn not_offered(decision: &Decision, state: &str, offered: &[String]) -> Problem {
    let (plan, name) = (&decision.plan, &decision.name);
    let offered = offered.join(" or ");
    let detail = format!(
        "the plan {plan} is in the state {state}, which has no decision `{name}`; expected {offered}"
    );
    Problem::new(ProblemKind::Denied, detail)
}

/// Returns the problem for an event that the session denied.
pub(super) fn denied(denial: &Denial) -> Problem {
    Problem::new(ProblemKind::Denied, denial.to_string()).with("denial", denial_json(denial))
}

fn accepted(handle: &Session, text: &str, seq: u64, repeated: bool, plans: Json) -> Json {
    let mut object = Object::new();
    object.push("sessionId", handle.identity().to_string());
    object.push("accepted", true);
    object.push("text", text);
    object.push("seq", seq);
    object.push("repeated", repeated);
    object.push("plans", plans);
    object.into()
}

/// Returns the first response to a request that is sent again with the same id. The plan has changed state since then,
/// so the decision cannot be made again.
async fn repeated(
    handle: &Session,
    tables: &'static Description,
    decision: &Decision,
) -> Result<Option<Json>, Problem> {
    let Some(once) = &decision.around.call_id else {
        return Ok(None);
    };
    let seq = handle.seq().await?;
    let after = seq.saturating_sub(u64::from(REPEATED_WITHIN));
    let entries = handle.history(after, REPEATED_WITHIN).await?;
    let mut known = entries.iter();
    let known = known.find(|entry| entry.call_id.as_ref() == Some(once));
    let Some(known) = known else {
        return Ok(None);
    };
    if !decision.is_stored_in(known, tables) {
        let detail = "`once` was used for a different request";
        return Err(Problem::new(ProblemKind::OtherCall, detail));
    }
    let text = known.step.acceptance.answer();
    let plans = handle.at_gate(plan_states).await?;
    Ok(Some(accepted(handle, &text, known.seq, true, plans)))
}

/// Returns the problem for a decision about content that the plan no longer has, with the difference.
async fn stale(
    app: &App,
    project: &ServedProject,
    handle: &Session,
    decision: &Decision,
) -> Problem {
    match difference(app, project, handle, decision).await {
        Ok(problem) | Err(problem) => problem,
    }
}

async fn difference(
    app: &App,
    project: &ServedProject,
    handle: &Session,
    decision: &Decision,
) -> Result<Problem, Problem> {
    let (id, machine, plan) = (handle.identity(), &decision.machine, &decision.plan);
    let documents = documents(project, id)?;
    let (found, waiting) = handle
        .at_gate(|gate| {
            let waiting = cards(gate).into_iter();
            let mut waiting = waiting.filter(|card| card.machine == machine);
            // If another plan has replaced this plan, the content of the other plan is the current content.
            let same = waiting.find(|card| card.plan.id == plan.as_str());
            let other = || cards(gate).into_iter().find(|card| card.machine == machine);
            (plan_of(gate, machine, plan), same.or_else(other))
        })
        .await?;
    let model = documents.member(machine).map(|(_, model)| model);
    let content = |token: &str, data: &Object| {
        let mut object = Object::new();
        object.push("token", token);
        let fields = model.map(|model| fields_json(model, data));
        object.push("content", fields.unwrap_or_default());
        Json::Object(object)
    };
    let tables: Option<&'static Description> = project.tables(id, machine);
    let history = match tables {
        Some(tables) => History::read(handle, tables, SHOWN_WITHIN).await?,
        None => History::default(),
    };
    let version = history.with_token(plan, &decision.token);
    let shown = version.map(|version| content(&version.plan.token, &version.plan.data));
    let decider = version.and_then(Version::decider);
    let decider = decider.map_or(String::new(), |decider| format!("{decider}, and "));
    let current = waiting.as_ref();
    let current = current.map(|card| content(&card.plan.token, &card.plan.data));
    let card = match &waiting {
        Some(card) => {
            // The person reads the new content in this answer, and decides about it next.
            shown::deliver_to_person(project, id, std::slice::from_ref(card)).await?;
            Some(complete_card(app, project, handle, card).await?)
        }
        None => None,
    };
    let detail = match (&found, &waiting) {
        (_, Some(card)) if card.plan.id == plan.as_str() && version.is_none() => {
            format!(
                "No recent version of the plan {plan} has this token; expected the whole token of the version that was shown."
            )
        }
        (_, Some(card)) if card.plan.id == plan.as_str() => {
            format!("The plan {plan} has changed since it was shown.")
        }
        (_, Some(card)) => format!(
            "The plan {plan} no longer needs a decision; the plan {} does.",
            card.plan.id
        ),
        (Some(found), None) => format!(
            "The plan {plan} no longer needs this decision: {decider}it is in the state {}.",
            found.state
        ),
        (None, None) => {
            format!("The plan {plan} no longer needs a decision: {decider}it has ended.")
        }
    };
    Ok(Problem::new(ProblemKind::Stale, detail)
        .with("sessionId", id.to_string())
        .with("shown", maybe(shown))
        .with("current", maybe(current))
        .with("card", maybe(card)))
}
