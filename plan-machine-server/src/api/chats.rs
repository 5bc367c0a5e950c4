//! The chat of a session, for servers with a host that answers messages.

use std::sync::Arc;

use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use plan_machine_kernel::json::Object;
use tokio::sync::mpsc::Sender;

use super::fields::Fields;
use super::roles::{AsPerson, AsReader};
use crate::app::{App, now, session_of};
use crate::chat::{ChatLine, ChatMessage, MessageKind};
use crate::http::{Query, json};
use crate::problem::{Problem, ProblemKind};

/// The longest line that a person can send, in bytes.
const LONGEST: usize = 20_000;

/// The number of messages in a response, unless the request says otherwise.
const MOST: usize = 100;

fn lines(app: &App) -> Result<&Sender<ChatLine>, Problem> {
    let lines = app.chat.as_ref();
    lines.ok_or_else(|| Problem::not_found("this server has no chats"))
}

/// `POST /api/sessions/{session}/messages`.
pub(super) async fn say(
    State(app): State<Arc<App>>,
    AsPerson(who): AsPerson,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let to = lines(&app)?;
    let mut fields = Fields::read(&app, request).await?;
    let text = fields.required("text")?;
    fields.end()?;
    if text.len() > LONGEST {
        let detail = format!("`text` is longer than {LONGEST} bytes");
        return Err(Problem::invalid(detail));
    }
    let session = session_of(&id)?;
    let line = ChatLine {
        session: session.clone(),
        person: who.name,
        text: text.clone(),
    };
    to.try_send(line).map_err(|_| {
        let detail = "the host has not read the earlier messages yet; try again";
        Problem::new(ProblemKind::Busy, detail)
    })?;
    let said = ChatMessage {
        at: now(),
        kind: MessageKind::You,
        text,
    };
    app.feed().say(&session, said);
    let mut object = Object::new();
    object.push("sessionId", session.to_string());
    let mut response = json(object);
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}

/// `GET /api/sessions/{session}/messages`.
pub(super) async fn messages(
    State(app): State<Arc<App>>,
    _: AsReader,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    lines(&app)?;
    let query = Query::parse(request.uri().query(), &["limit"])?;
    let most = match query.get("limit") {
        None => MOST,
        Some(text) => text
            .parse()
            .map_err(|_| Problem::invalid(format!("`limit` is `{text}`, expected a number")))?,
    };
    let session = session_of(&id)?;
    let mut object = Object::new();
    object.push("sessionId", session.to_string());
    object.push("messages", app.messages.last(&session, most));
    Ok(json(object))
}
