//! Builds responses: JSON, plain text, and small HTML pages.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use plan_machine_kernel::json::Json;

/// Returns a response in JSON, which no cache may store.
pub(crate) fn json(value: impl Into<Json>) -> Response {
    with_type(value.into().to_string(), "application/json")
}

/// Returns a response in plain text.
pub(crate) fn text(status: StatusCode, text: impl Into<String>) -> Response {
    let mut response = with_type(text.into(), "text/plain; charset=utf-8");
    *response.status_mut() = status;
    response
}

/// The beginning of the HTML pages that are not loaded from a file. They are readable on narrow screens and in dark
/// mode.
const HEAD: &str = concat!(
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">",
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
    "<meta name=\"color-scheme\" content=\"light dark\"><title>plan-machine</title>"
);

/// Returns a page with this content, which no cache may store.
pub(crate) fn html(status: StatusCode, content: &str) -> Response {
    let page = format!("{HEAD}{content}</html>");
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
