//! Answers.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use plan_machine_kernel::json::Json;

/// Returns an answer in JSON, which no cache may store.
pub(crate) fn json(value: impl Into<Json>) -> Response {
    with_type(value.into().to_string(), "application/json")
}

/// Returns an answer as plain text.
pub(crate) fn text(status: StatusCode, text: impl Into<String>) -> Response {
    let mut response = with_type(text.into(), "text/plain; charset=utf-8");
    *response.status_mut() = status;
    response
}

/// Returns an answer in HTML, which no cache may store.
pub(crate) fn html(status: StatusCode, page: String) -> Response {
    let mut response = with_type(page, "text/html; charset=utf-8");
    *response.status_mut() = status;
    response
}

fn with_type(body: String, kind: &'static str) -> Response {
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
