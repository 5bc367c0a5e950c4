//! The server's health and metrics.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::roles::AsReader;
use crate::app::App;
use crate::http::text;
use crate::inbox::Index;
use crate::live::StoreHealth;

/// `GET /healthz`: succeeds as long as the process can answer.
pub(super) async fn healthy() -> Response {
    text(StatusCode::OK, "ok\n")
}

/// `GET /readyz`: succeeds if the store can be reached and the index is complete.
pub(super) async fn ready(State(app): State<Arc<App>>) -> Response {
    match unready(&app.health, &app.index) {
        Some(reason) => text(StatusCode::SERVICE_UNAVAILABLE, reason),
        None => text(StatusCode::OK, "ready\n"),
    }
}

/// Returns the reason why the server is not ready; `None` if it is ready. The error of the store may contain addresses,
/// so it is not part of the reason.
fn unready(health: &StoreHealth, index: &Index) -> Option<&'static str> {
    if health.problem().is_some() {
        return Some("the store cannot be reached\n");
    }
    (!index.is_complete()).then_some("the index is not complete yet\n")
}

/// `GET /metrics`.
pub(super) async fn metrics(State(app): State<Arc<App>>, _: AsReader) -> Response {
    text(StatusCode::OK, app.metrics.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_not_ready_before_its_index_is_complete() {
        let (health, index) = (StoreHealth::default(), Index::default());
        let reason = unready(&health, &index);
        assert_eq!(reason, Some("the index is not complete yet\n"));
        index.complete();
        assert_eq!(unready(&health, &index), None);
        // The index is built again when the documents change.
        index.clear();
        assert!(unready(&health, &index).is_some());
    }
}
