//! Live events.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use plan_machine_sessions::store::Place;

use super::roles::AsReader;
use crate::app::{App, session_of};
use crate::http::Query;
use crate::live::{EventBody, StreamStart, open};
use crate::problem::Problem;

/// `GET /api/events`.
pub(super) async fn all(
    State(app): State<Arc<App>>,
    _: AsReader,
    request: Request,
) -> Result<Response, Problem> {
    let after = after(&request)?;
    let place = after.map(|text| text.parse::<Place>().map_err(Problem::invalid));
    let start = StreamStart::All(place.transpose()?);
    Ok(stream(open(app.stream(), start, app.limits.streams)?))
}

/// `GET /api/sessions/{session}/events`.
pub(super) async fn one(
    State(app): State<Arc<App>>,
    _: AsReader,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, Problem> {
    let id = session_of(&id)?;
    let after = after(&request)?;
    let seq = after.map(|text| {
        let number = text.parse::<u64>();
        number.map_err(|_| Problem::invalid(format!("`{text}` is not the number of an entry")))
    });
    let start = StreamStart::One(id, seq.transpose()?);
    Ok(stream(open(app.stream(), start, app.limits.streams)?))
}

/// Returns the last event that a client has seen. A browser that reconnects names this event in the header
/// `Last-Event-ID`, which is more recent than the event in its URL.
fn after(request: &Request) -> Result<Option<String>, Problem> {
    let query = Query::parse(request.uri().query(), &["after"])?;
    let last = last_id(request.headers());
    Ok(last.or_else(|| query.get("after").map(str::to_owned)))
}

fn last_id(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(HeaderName::from_static("last-event-id"))?;
    let text = value.to_str().ok()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn stream(body: EventBody) -> Response {
    let mut response = Response::new(Body::new(body));
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("text/event-stream");
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies such as nginx would otherwise buffer events.
    let buffering = HeaderName::from_static("x-accel-buffering");
    headers.insert(buffering, HeaderValue::from_static("no"));
    response
}
