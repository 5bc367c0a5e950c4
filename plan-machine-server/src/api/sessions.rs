//! One session: its plans, its versions and its timeline.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::response::Response;
use plan_machine::machine::PlanView;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::journal::{AnswerRecord, Entry};
use plan_machine_sessions::{Session, SessionError, SessionIdentity};

use super::roles::AsReader;
use super::shown::deliver;
use crate::app::{App, session_of};
use crate::content::is_blank;
use crate::http::{Query, json};
use crate::problem::Problem;
use crate::project::{ServedProject, SessionDocuments};
use crate::views::{
    Card, History, TimelinePart, card_json, cards, damaged_session_json, session_json,
    timeline_json, version_json,
};

/// The maximum number of entries that are read to find the content with which a card is compared.
const DECIDED_WITHIN: u64 = 500;

/// The maximum number of entries that are read to list the versions of a plan.
const VERSIONS_WITHIN: u64 = 2000;

/// The maximum number of calls without entries in a part of a timeline.
const MOST_ANSWERS: u32 = 200;

/// Returns a session that exists, and the number of its last entry.
pub(super) async fn existing(
    project: &ServedProject,
    session: &SessionIdentity,
) -> Result<(Session, u64), Problem> {
    let handle = project.session(session);
    match handle.seq().await? {
        0 => Err(Problem::not_found(format!(
            "there is no session `{session}`"
        ))),
        seq => Ok((handle, seq)),
    }
}

/// Returns the documents of a session.
pub(super) fn documents<'p>(
    project: &'p ServedProject,
    session: &SessionIdentity,
) -> Result<&'p Arc<SessionDocuments>, Problem> {
    let found = project.documents(session);
    found.ok_or_else(|| {
        Problem::not_found(format!(
            "this server has no document for the channel of `{session}`"
        ))
    })
}

/// Returns a session, which need not exist yet. Without documents for its channel, this server does not have the machines
/// that decide about the session.
pub(super) fn governed(
    project: &ServedProject,
    session: &SessionIdentity,
) -> Result<Session, Problem> {
    documents(project, session)?;
    Ok(project.session(session))
}

/// Returns a card for a page. The card includes the time since which the plan has been waiting, and the content with
/// which a person compares the plan.
pub(super) async fn complete_card(
    app: &App,
    project: &ServedProject,
    handle: &Session,
    card: &Card,
) -> Result<Json, Problem> {
    let session = handle.identity();
    let documents = documents(project, session)?;
    let waiting = app.index.of_session(session);
    let waiting = waiting
        .iter()
        .find(|waiting| waiting.machine == card.machine && waiting.token == card.plan.token);
    let history = match project.tables(session, card.machine) {
        Some(tables) => History::read(handle, tables, DECIDED_WITHIN).await?,
        None => History::default(),
    };
    let model = documents.member(card.machine).map(|(_, model)| model);
    let has_content = |plan: &PlanView| model.is_none_or(|model| !is_blank(model, &plan.data));
    let baseline = history.baseline(&card.plan, has_content);
    Ok(card_json(documents, session, card, waiting, baseline))
}

/// `GET /api/sessions/{session}`.
pub(super) async fn session(
    State(app): State<Arc<App>>,
    AsReader(who): AsReader,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let project = app.desk.fresh().await?;
    let id = session_of(&id)?;
    let (handle, seq) = existing(&project, &id).await?;
    let documents = documents(&project, &id)?;
    let effects = pending(&project, &handle).await;
    let effects = effects.map(|effects| effects.len() as u64);
    let found = match handle.at_gate(cards).await {
        Ok(found) => found,
        Err(error @ (SessionError::Unreadable { .. } | SessionError::Unfit { .. })) => {
            app.index.forget(&id);
            let problem = error.to_string();
            return Ok(json(damaged_session_json(
                &project.name,
                &id,
                seq,
                &problem,
                effects,
            )));
        }
        Err(error) => return Err(error.into()),
    };
    let mut shown = Vec::new();
    for card in &found {
        shown.push(complete_card(&app, &project, &handle, card).await?);
    }
    let view = handle.at_gate(|gate| {
        // The cards were read a moment ago. If the session has changed since then, its stream reports it.
        session_json(&project.name, &id, seq, (documents, gate), shown, effects)
    });
    let view = view.await?;
    deliver(&project, &id, &found, &who).await?;
    Ok(json(view))
}

/// `GET /api/sessions/{session}/versions`.
pub(super) async fn versions(
    State(app): State<Arc<App>>,
    _: AsReader,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri().query(), &["machine", "plan", "limit"])?;
    let (machine, plan) = (query.required("machine")?, query.required("plan")?);
    let most = query.limit(20, 64)? as usize;
    let project = app.desk.fresh().await?;
    let id = session_of(&id)?;
    let (handle, _) = existing(&project, &id).await?;
    let documents = documents(&project, &id)?;
    let unknown = || Problem::not_found(format!("unknown machine `{machine}`"));
    let tables = project.tables(&id, machine).ok_or_else(unknown)?;
    let (_, model) = documents.member(machine).ok_or_else(unknown)?;
    let history = History::read(&handle, tables, VERSIONS_WITHIN).await?;
    let mut found = history.of_plan(plan);
    // A plan that has just begun has no content to compare with.
    found.retain(|version| !is_blank(model, &version.plan.data));
    let is_complete = history.is_complete() && found.len() <= most;
    let listed = found.iter().take(most);
    let listed = listed.map(|version| version_json(model, version));
    let mut object = Object::new();
    object.push("sessionId", id.to_string());
    object.push("versions", listed.collect::<Vec<Json>>());
    object.push("complete", is_complete);
    Ok(json(object))
}

/// `GET /api/sessions/{session}/timeline`.
pub(super) async fn timeline(
    State(app): State<Arc<App>>,
    _: AsReader,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri().query(), &["limit", "before"])?;
    let most = query.limit(50, 200)?;
    let project = app.desk.project();
    let id = session_of(&id)?;
    let (handle, seq) = existing(&project, &id).await?;
    let before = query.number("before")?.unwrap_or(seq + 1).min(seq + 1);
    let after = before.saturating_sub(1 + u64::from(most));
    let wanted = u32::try_from(before.saturating_sub(1) - after).unwrap_or(most);
    let entries = if wanted == 0 {
        Vec::new()
    } else {
        handle.history(after, wanted).await?
    };
    let until = if before > seq {
        None
    } else {
        let next = handle.history(before.saturating_sub(1), 1).await?;
        next.into_iter().next()
    };
    let (answers, has_more_answers) = answers(&handle, &entries, until.as_ref()).await?;
    let pending = pending(&project, &handle).await;
    let list = project.audit.clone();
    let denials = {
        let (app, id) = (Arc::clone(&app), id.clone());
        let read =
            tokio::task::spawn_blocking(move || app.denials.of_session(&id, list.as_deref()));
        read.await.unwrap_or_default()
    };
    let part = TimelinePart {
        entries,
        answers,
        has_more_answers,
        denials,
        pending,
        until: until.map(|until| until.step.at),
    };
    Ok(json(timeline_json(&project, &id, &part)))
}

/// Returns the last answers that belong to these entries, and whether further answers are left out because they cannot
/// be read or because there are too many. An answer belongs to the entry after which it was given; an answer from
/// before the first entry belongs to the first entry.
async fn answers(
    handle: &Session,
    entries: &[Entry],
    until: Option<&Entry>,
) -> Result<(Vec<(String, AnswerRecord)>, bool), Problem> {
    let Some(first) = entries.first() else {
        return Ok((Vec::new(), false));
    };
    let from = if first.seq == 1 { 0 } else { first.seq };
    let to = until.map_or(u64::MAX, |until| until.seq - 1);
    let mut found = handle.answers(from, to, MOST_ANSWERS + 1).await?;
    let many = found.len();
    if many > MOST_ANSWERS as usize {
        found.remove(0);
    }
    let read = found.into_iter();
    let read: Vec<_> = read
        .filter_map(|(id, record)| Some((id, record?)))
        .collect();
    let has_more = read.len() < many;
    Ok((read, has_more))
}

/// Returns the effects of a session that its host has not carried out yet, by entry and position; `None` if no host
/// carries them out. Effects that cannot be read must not hide the session.
async fn pending(project: &ServedProject, handle: &Session) -> Option<Vec<(u64, u32)>> {
    if project.is_gated(handle.identity()) {
        return None;
    }
    let effects = handle.effects().await.unwrap_or_default();
    let effects = effects.iter();
    let places = effects.map(|effect| (effect.id.seq, effect.id.position));
    Some(places.collect())
}
