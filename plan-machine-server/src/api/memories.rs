//! `GET /api/memory`: the part of a host's memory that a session or one of its runs may read.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use plan_machine_kernel::json::{Json, Object};
use tokio::sync::Semaphore;

use super::roles::AsReader;
use crate::app::{App, session_of};
use crate::http::{Query, json};
use crate::memory::MemoryQuery;
use crate::problem::{Problem, ProblemKind};

/// The maximum number of items in a response.
const MOST_ITEMS: usize = 1_000;

/// Each read loads the whole memory of the host, so only one read at a time is allowed, however many clients ask.
static READS: Semaphore = Semaphore::const_new(1);

/// Answers `GET /api/memory`.
pub(super) async fn memory(
    State(app): State<Arc<App>>,
    _: AsReader,
    request: Request,
) -> Result<Response, Problem> {
    let names = ["sessionId", "runKind", "goalId", "taskId"];
    let query = Query::parse(request.uri().query(), &names)?;
    let id = session_of(query.required("sessionId")?)?;
    let text = |name: &str| query.required(name).map(str::to_owned);
    let wanted = match query.get("runKind") {
        None => MemoryQuery::Session,
        Some("TASK_RUN") => MemoryQuery::Task {
            task: text("taskId")?,
        },
        Some("GOAL_RUN") => MemoryQuery::Goal {
            goal: text("goalId")?,
            task: text("taskId")?,
        },
        Some(other) => {
            return Err(Problem::invalid(format!(
                "`runKind` is `{other}`, expected `GOAL_RUN` or `TASK_RUN`"
            )));
        }
    };
    let session = id.clone();
    let internal = |error: String| Problem::new(ProblemKind::Internal, error);
    let permit = READS.acquire().await;
    let permit = permit.map_err(|error| internal(error.to_string()))?;
    let read = tokio::task::spawn_blocking(move || {
        // The read continues if the client disconnects, so the permit belongs to the read.
        let _permit = permit;
        match &app.memory {
            Some(memory) => memory.recall(&session, &wanted),
            None => Err(Problem::not_found("this server has no memory")),
        }
    });
    let read = read.await;
    let read = read.map_err(|error| internal(error.to_string()))?;
    let (scopes, mut items) = read?;
    let is_complete = items.len() <= MOST_ITEMS;
    items.truncate(MOST_ITEMS);
    let mut object = Object::new();
    object.push("sessionId", id.to_string());
    let scopes = scopes.into_iter().map(Json::from);
    object.push("scopes", scopes.collect::<Vec<Json>>());
    object.push("items", items);
    object.push("complete", is_complete);
    Ok(json(object))
}
