//! The server's health and metrics.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::roles::AsReader;
use crate::app::App;
use crate::http::text;

/// `GET /healthz`: succeeds as long as the process can answer.
pub(super) async fn healthy() -> Response {
    text(StatusCode::OK, "ok\n")
}

/// `GET /readyz`: succeeds if the store can be reached and the index is complete. The reason for a failure may contain
/// addresses, so it is not shown here.
pub(super) async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.health.problem().is_some() {
        let reason = "the store cannot be reached\n";
        return text(StatusCode::SERVICE_UNAVAILABLE, reason);
    }
    if !app.index.is_complete() {
        let reason = "the index is not complete yet\n";
        return text(StatusCode::SERVICE_UNAVAILABLE, reason);
    }
    text(StatusCode::OK, "ready\n")
}

/// `GET /metrics`.
pub(super) async fn metrics(State(app): State<Arc<App>>, _: AsReader) -> Response {
    text(StatusCode::OK, app.metrics.text())
}
