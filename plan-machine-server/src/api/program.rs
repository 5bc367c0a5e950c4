//! The interface for programs, through which agents written in any language use plan-machine.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use plan_machine::command::call_of_line;
use plan_machine::description::EventKind;
use plan_machine::gate::{Decision, Gate, Shape, ToolCall, TurnId};
use plan_machine::machine::{CallKind, Outcome};
use plan_machine::{Address, Id};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::{EffectId, SessionIdentity};

use super::fields::{Fields, unfit_part};
use super::roles::{AsHost, AsReader};
use super::sender::context;
use super::sessions::governed;
use crate::app::{App, session_of};
use crate::auth::{Credential, Role};
use crate::http::{Query, json};
use crate::problem::{Problem, ProblemKind};
use crate::views::{decision_json, denial_json, maybe};

/// The maximum number of calls in one response of a model.
const MOST_CALLS: usize = 128;

fn answer(session: &SessionIdentity, seq: u64) -> Object {
    let mut object = Object::new();
    object.push("sessionId", session.to_string());
    object.push("seq", seq);
    object
}

/// `POST /api/sessions/{session}/decide`.
pub(super) async fn decide(
    State(app): State<Arc<App>>,
    AsHost(who): AsHost,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let mut fields = Fields::read(&app, request).await?;
    let calls = fields.list("calls")?;
    let around = context(&mut fields, &who)?;
    fields.end()?;
    if calls.len() > MOST_CALLS {
        return Err(Problem::invalid(format!(
            "expected at most {MOST_CALLS} calls, found {}",
            calls.len()
        )));
    }
    let calls = calls.into_iter().map(call).collect::<Result<Vec<_>, _>>()?;
    let project = app.desk.fresh().await?;
    let id = session_of(&id)?;
    let done = governed(&project, &id)?.decide(&calls, &around).await?;
    let denials = app.denial_feed();
    let mut decisions = Vec::new();
    for (call, decision) in calls.iter().zip(&done.answer) {
        if let Decision::Denied(denial) = decision {
            denials.report(&id, call, &denial.to_string(), done.seq, &around);
        }
        decisions.push(decision_json(decision));
    }
    let mut object = answer(&id, done.seq);
    object.push("repeated", done.repeated);
    object.push("decisions", decisions);
    Ok(json(object))
}

fn call(value: Json) -> Result<ToolCall, Problem> {
    let object = match value {
        Json::Object(object) => object,
        found => return Err(unfit_part("an item of `calls`", &found, "an object")),
    };
    let mut fields = Fields::new(object);
    let name = fields.required("name")?;
    let args = fields.object("args")?;
    let id = fields.text("id")?;
    fields.end()?;
    let call = ToolCall::new(name, args);
    Ok(match id {
        Some(id) => call.once(id),
        None => call,
    })
}

/// `GET /api/sessions/{session}/advertised`.
pub(super) async fn advertised(
    State(app): State<Arc<App>>,
    _: AsReader,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri().query(), &["shape"])?;
    let shape = match query.get("shape").unwrap_or("openai") {
        "openai" => Shape::OpenAi,
        "anthropic" => Shape::Anthropic,
        "mcp" => Shape::Mcp,
        other => {
            return Err(Problem::invalid(format!(
                "`shape` is `{other}`, expected `openai`, `anthropic` or `mcp`"
            )));
        }
    };
    let project = app.desk.fresh().await?;
    let id = session_of(&id)?;
    let handle = governed(&project, &id)?;
    let seq = handle.seq().await?;
    let (tools, prompts) = handle
        .at_gate(|gate| (gate.advertised(shape), prompts(gate)))
        .await?;
    let mut object = answer(&id, seq);
    object.push("tools", tools);
    object.push("prompts", prompts);
    Ok(json(object))
}

/// Returns the prompts of the current states, with commands in the form in which people type them.
fn prompts(gate: &Gate) -> Vec<Json> {
    let prefix = gate.machine_set().prefix();
    let events = gate.machines().iter();
    let events = events.flat_map(|machine| machine.description().events);
    let texts: Vec<&str> = events
        .filter_map(|event| match event.kind {
            EventKind::Command { text, .. } => Some(text),
            _ => None,
        })
        .collect();
    let prompts = gate.prompts().into_iter();
    let shown = prompts.map(|text| prefix.shown(text, texts.iter().copied()).into_owned());
    shown.map(Json::from).collect()
}

/// `POST /api/sessions/{session}/command`.
pub(super) async fn command(
    State(app): State<Arc<App>>,
    AsHost(who): AsHost,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let mut fields = Fields::read(&app, request).await?;
    let line = fields.required("line")?;
    let around = context(&mut fields, &who)?;
    fields.end()?;
    let project = app.desk.fresh().await?;
    let id = session_of(&id)?;
    let handle = governed(&project, &id)?;
    let decides = handle.at_gate(|gate| decides(gate, &line)).await?;
    if project.is_gated(&id) {
        check_gated(&who, &line, decides)?;
    } else if decides && who.role < Role::Person {
        let detail = format!(
            "only a person may send `{line}`, because it decides about a plan; use a token with the role `person`"
        );
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    let done = handle.command(&line, &around).await?;
    let accepted = |outcome: &Outcome| !matches!(outcome, Outcome::Denied(_));
    let is_accepted = done.answer.iter().any(|one| accepted(&one.outcome));
    let texts = done.answer.iter().filter_map(|one| one.outcome.answer());
    let text = texts.collect::<Vec<String>>().join("\n");
    let answers = done.answer.iter().map(|one| {
        let mut object = Object::new();
        object.push("machine", one.machine.as_str());
        outcome(&mut object, &one.outcome);
        Json::Object(object)
    });
    let mut object = answer(&id, done.seq);
    object.push("repeated", done.repeated);
    object.push("accepted", is_accepted);
    object.push("text", text);
    object.push("answers", answers.collect::<Vec<Json>>());
    Ok(json(object))
}

/// Checks a command in a gated project. A program that is controlled by a model may have a token, so only people may
/// send commands, and a decision about a plan needs the card that was shown.
fn check_gated(who: &Credential, line: &str, decides: bool) -> Result<(), Problem> {
    if who.role < Role::Person {
        let detail = format!(
            "only a person may send `{line}`, because this project is gated; use a token with the role `person`"
        );
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    if decides {
        let detail =
            format!("`{line}` decides about a plan; use the path that ends in `/decision`");
        return Err(Problem::new(ProblemKind::Denied, detail));
    }
    Ok(())
}

/// Returns whether a line is a decision about content that a person has reviewed.
fn decides(gate: &Gate, line: &str) -> bool {
    let Ok((takers, specified)) = gate.machines_for(line) else {
        return false;
    };
    takers.into_iter().any(|at| {
        let machine = &gate.machines()[at];
        let (tables, plans) = (machine.description(), machine.plans());
        let is_plan = |word: &str| plans.iter().any(|plan| plan.id == word);
        let Ok(call) = call_of_line(tables, is_plan, &specified) else {
            return false;
        };
        let (CallKind::Event(name) | CallKind::HostTool(name)) = &call.what;
        let event = tables.event_named(name).map(|at| tables.event(at));
        let reviewed = |kind| matches!(kind, EventKind::Command { reviewed: true, .. });
        event.is_some_and(|event| reviewed(event.kind))
    })
}

fn outcome(object: &mut Object, outcome: &Outcome) {
    let denial = match outcome {
        Outcome::Denied(denial) => Some(denial_json(denial)),
        Outcome::Accepted(_) | Outcome::Run { .. } => None,
    };
    object.push("accepted", denial.is_none());
    object.push("text", maybe(outcome.answer()));
    object.push("denial", maybe(denial));
}

/// `POST /api/sessions/{session}/signal`.
pub(super) async fn signal(
    State(app): State<Arc<App>>,
    AsHost(who): AsHost,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let mut fields = Fields::read(&app, request).await?;
    let (machine, event) = (fields.required("machine")?, fields.required("event")?);
    let (plan, revision) = (fields.text("plan")?, fields.number("revision")?);
    let with = fields.object("with")?;
    let around = context(&mut fields, &who)?;
    fields.end()?;
    let project = app.desk.fresh().await?;
    let id = session_of(&id)?;
    let handle = governed(&project, &id)?;
    let tables = project.tables(&id, &machine);
    let unknown = || Problem::not_found(format!("unknown machine `{machine}`"));
    let tables = tables.ok_or_else(unknown)?;
    let known = tables.event_named(&event).map(|at| tables.event(at).kind);
    if known.is_some_and(|kind| !matches!(kind, EventKind::Signal)) {
        // The host must not send events that only a person or a model may send.
        let detail = format!("`{event}` is not a signal of {machine}");
        return Err(Problem::invalid(detail));
    }
    let address = Address {
        plan_id: plan,
        expect_revision: revision,
    };
    let done = handle
        .signal_by_name(&machine, &event, address, with, &around)
        .await?;
    let mut object = answer(&id, done.seq);
    object.push("repeated", done.repeated);
    outcome(&mut object, &done.answer);
    Ok(json(object))
}

/// `POST /api/sessions/{session}/turn`.
pub(super) async fn turn(
    State(app): State<Arc<App>>,
    AsHost(who): AsHost,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let mut fields = Fields::read(&app, request).await?;
    let turn = fields.text("turn")?;
    let around = context(&mut fields, &who)?;
    fields.end()?;
    let turn = turn.map_or_else(TurnId::unique, TurnId::new);
    let project = app.desk.fresh().await?;
    let id = session_of(&id)?;
    let handle = governed(&project, &id)?;
    if project.is_gated(&id) && who.role < Role::Person {
        let detail = "only a person's message can begin a turn: this project is gated";
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    let done = handle.begin_turn(&turn, &around).await?;
    let mut object = answer(&id, done.seq);
    object.push("repeated", done.repeated);
    object.push("turn", turn.as_str());
    Ok(json(object))
}

/// `GET /api/sessions/{session}/effects`.
pub(super) async fn effects(
    State(app): State<Arc<App>>,
    _: AsReader,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let id = session_of(&id)?;
    let pending = app.desk.project().session(&id).effects().await?;
    let effects = pending.iter().map(|effect| {
        let mut of = Object::new();
        of.push("plan", maybe(effect.id.plan.as_ref().map(Id::as_str)));
        of.push("seq", effect.id.seq);
        of.push("position", u64::from(effect.id.position));
        let mut object = Object::new();
        object.push("id", Json::Object(of));
        object.push("machine", effect.machine.as_str());
        object.push("name", &*effect.effect.name);
        object.push("fields", Json::Object(effect.effect.fields.clone()));
        Json::Object(object)
    });
    let mut object = Object::new();
    object.push("sessionId", id.to_string());
    object.push("effects", effects.collect::<Vec<Json>>());
    Ok(json(object))
}

/// `POST /api/sessions/{session}/effects/settle`.
pub(super) async fn settle(
    State(app): State<Arc<App>>,
    AsHost(_): AsHost,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let mut fields = Fields::read(&app, request).await?;
    let seq = fields.required_number("seq")?;
    let position = fields.required_number("position")?;
    fields.end()?;
    let position = u32::try_from(position);
    let position = position.map_err(|_| Problem::invalid("`position` is too large"))?;
    let id = session_of(&id)?;
    let effect = EffectId {
        plan: None,
        seq,
        position,
    };
    app.desk.project().session(&id).settle(&effect).await?;
    let mut object = Object::new();
    object.push("sessionId", id.to_string());
    object.push("settled", true);
    Ok(json(object))
}
