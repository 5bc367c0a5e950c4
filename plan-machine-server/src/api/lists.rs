//! The list of waiting plans, the list of sessions, and the identity of the sender of a request.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::response::Response;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::visible::visible_line;
use tokio::time::timeout;

use super::roles::AsReader;
use crate::app::{App, session_of};
use crate::http::{Query, json};
use crate::problem::{Problem, ProblemKind};
use crate::views::{inbox_json, maybe, named_json, recent_json};

/// The default length of a list.
const USUAL: u32 = 100;

/// The maximum length of a list.
const MOST: u32 = 1000;

/// How long a list waits for the index. After that, the response says why there is no list.
const PATIENCE: Duration = Duration::from_secs(2);

/// `GET /api/inbox`.
pub(super) async fn inbox(
    State(app): State<Arc<App>>,
    _: AsReader,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri().query(), &["limit", "after"])?;
    let most = query.limit(USUAL, MOST)? as usize;
    completed(&app).await?;
    let page = app.index.inbox(query.get("after"), most)?;
    Ok(json(inbox_json(&app.desk.project().name, &page)))
}

/// `GET /api/sessions`.
pub(super) async fn sessions(
    State(app): State<Arc<App>>,
    _: AsReader,
    request: Request,
) -> Result<Response, Problem> {
    let query = Query::parse(request.uri().query(), &["limit", "after", "order"])?;
    let most = query.limit(USUAL, MOST)?;
    let project = app.desk.project();
    match query.get("order").unwrap_or("recent") {
        "recent" => {
            completed(&app).await?;
            let page = app.index.recent(query.get("after"), most as usize)?;
            Ok(json(recent_json(&project.name, &page)))
        }
        "name" => {
            let after = query.get("after").map(session_of).transpose()?;
            let listed = project.sessions().list(after.as_ref(), most).await?;
            let next = listed.len() == most as usize;
            Ok(json(named_json(&project.name, &listed, &app.index, next)))
        }
        other => Err(Problem::invalid(format!(
            "`order` is `{other}`, expected `recent` or `name`"
        ))),
    }
}

/// Waits until the index is complete.
async fn completed(app: &App) -> Result<(), Problem> {
    if timeout(PATIENCE, app.index.completed()).await.is_ok() {
        return Ok(());
    }
    Err(match app.health.problem() {
        Some(problem) => Problem::new(ProblemKind::Store, problem),
        None => Problem::new(
            ProblemKind::Starting,
            "the server is still reading what was stored before it started; try again",
        ),
    })
}

/// `GET /api/me`.
pub(super) async fn me(State(app): State<Arc<App>>, AsReader(who): AsReader) -> Response {
    let project = app.desk.project();
    let documents = project.all_documents().next();
    let prefix = documents.map(|documents| documents.machines().prefix().as_char());
    let mut of_project = Object::new();
    of_project.push("name", visible_line(&project.name));
    let root = project.root.as_ref();
    let root = root.map(|root| visible_line(&root.display().to_string()));
    of_project.push("root", maybe(root));
    let document = documents.map(|documents| documents.session().name.as_str());
    of_project.push("document", maybe(document));
    let problem = app.health.problem();
    let mut store = Object::new();
    store.push("reachable", problem.is_none());
    store.push("caughtUp", app.index.is_complete());
    store.push("problem", maybe(problem));
    let mut object = Object::new();
    object.push("actor", visible_line(&who.name));
    object.push("role", who.role.as_str());
    object.push("project", Json::Object(of_project));
    object.push("prefix", prefix.unwrap_or('/').to_string());
    object.push("version", env!("CARGO_PKG_VERSION"));
    object.push("chat", app.chat.is_some());
    object.push("memory", app.memory.is_some());
    object.push("store", Json::Object(store));
    json(object)
}
