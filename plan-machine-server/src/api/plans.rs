//! The paths that seed document 002 describes (see `docs/seeds.md`): the plan mode of one session.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use plan_machine::description::{Description, EventKind};
use plan_machine::machine::Outcome;
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Json;
use plan_machine_sessions::Session;

use super::decision::denied;
use super::fields::Fields;
use super::person::{PersonEvent, Refusal};
use super::roles::{AsPerson, AsReader};
use super::sender::context;
use super::sessions::governed;
use super::shown;
use crate::app::{App, session_of};
use crate::http::{Query, json};
use crate::problem::{Problem, ProblemKind};
use crate::project::ServedProject;
use crate::views::plans_json;

/// The paths, and the commands that they send.
const COMMANDS: [(&str, &str); 7] = [
    ("enable", "on"),
    ("disable", "off"),
    ("done", "done"),
    ("approve", "approve"),
    ("reject", "reject"),
    ("cancel", "cancel"),
    ("resume", "resume"),
];

/// `GET /api/plans`.
pub(super) async fn plans(
    State(app): State<Arc<App>>,
    _: AsReader,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri().query(), &["sessionId"])?;
    let id = session_of(query.required("sessionId")?)?;
    let project = app.desk.fresh().await?;
    state(&governed(&project, &id)?, None).await.map(json)
}

/// `POST /api/plans/{command}`.
pub(super) async fn command(
    State(app): State<Arc<App>>,
    AsPerson(who): AsPerson,
    Path(path): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let word = COMMANDS.iter().find(|(name, _)| *name == path);
    let word = word.ok_or_else(|| Problem::not_found(format!("there is no path `{path}`")))?;
    let mut fields = Fields::read(&app, request).await?;
    let id = session_of(&fields.required("sessionId")?)?;
    let (plan, token) = (fields.text("planId")?, fields.text("token")?);
    let reason = fields.text("reason")?;
    let around = context(&mut fields, &who)?;
    fields.end()?;
    let project = app.desk.fresh().await?;
    let handle = project.session(&id);
    let mut event = found(&project, &handle, word.1)?;
    event.reason = reason.as_deref().filter(|text| !text.trim().is_empty());
    event.plan = plan.as_deref();
    event.token = token.as_deref();
    let mut about = plan.clone();
    if path == "approve" {
        let token = event.token.ok_or_else(|| {
            Problem::invalid("`token` is missing: send the token of the plan that was shown")
        })?;
        // The token identifies the plan; the plan's id is needed to look up what was shown.
        if about.is_none() {
            about = with_token(&handle, event.machine, token).await?;
        }
        if let Some(plan) = &about {
            shown::check(&project, &id, event.machine, plan, token).await?;
        }
    }
    let done = event.send_about(about.as_deref(), &handle, &around).await?;
    let outcome = match done.answer {
        Ok(outcome) => outcome,
        Err(Refusal::Stale) => {
            return Err(Problem::new(
                ProblemKind::Stale,
                "the plan has changed since it was shown",
            ));
        }
        Err(Refusal::Gone) => return Err(Problem::not_found("there is no such plan")),
    };
    match &outcome {
        Outcome::Denied(denial) if denial.kind == DenialKind::Stale => {
            Err(Problem::new(ProblemKind::Stale, denial.to_string()))
        }
        Outcome::Denied(denial) => Err(denied(denial)),
        Outcome::Accepted(_) | Outcome::Run { .. } => {
            let text = outcome.answer().unwrap_or_default();
            state(&handle, Some(&text)).await.map(json)
        }
    }
}

/// Returns the command of the session's plan mode whose second word is `word`, such as `on` in `/plan on`.
fn found<'r>(
    project: &ServedProject,
    handle: &Session,
    word: &str,
) -> Result<PersonEvent<'r>, Problem> {
    let documents = project.documents(handle.identity());
    let machines = documents.into_iter().flat_map(|documents| {
        let modes = documents.machines().plan_modes();
        let machines = documents.machines().machines();
        let machines: Vec<&'static Description> = machines.collect();
        let is_mode = move |tables: &&'static Description| modes.contains(&tables.name);
        machines.into_iter().filter(is_mode)
    });
    for tables in machines {
        for event in tables.events {
            let EventKind::Command { text, .. } = event.kind else {
                continue;
            };
            let words = text
                .split_whitespace()
                .take_while(|word| !word.starts_with('{'));
            let words: Vec<&str> = words.collect();
            if words.len() == 2 && words[1] == word {
                return Ok(PersonEvent {
                    machine: tables.name,
                    event: event.name,
                    text,
                    plan: None,
                    token: None,
                    reason: None,
                });
            }
        }
    }
    Err(Problem::not_found(format!(
        "no plan mode of `{}` has a command `/plan {word}`",
        handle.identity()
    )))
}

/// Returns the id of the plan that has this token.
async fn with_token(
    handle: &Session,
    machine: &str,
    token: &str,
) -> Result<Option<String>, Problem> {
    let plans = handle.plans().await?;
    let mut plans = plans.into_iter().rev();
    let plan = plans.find(|one| one.machine == machine && one.plan.token == token);
    Ok(plan.map(|one| one.plan.id.to_string()))
}

async fn state(handle: &Session, text: Option<&str>) -> Result<Json, Problem> {
    let seq = handle.seq().await?;
    let last = match seq {
        0 => None,
        seq => handle.history(seq - 1, 1).await?.pop(),
    };
    let updated = last.map(|entry| entry.step.at);
    let id = handle.identity();
    Ok(handle
        .at_gate(|gate| plans_json(id, gate, seq, updated, text))
        .await?)
}
