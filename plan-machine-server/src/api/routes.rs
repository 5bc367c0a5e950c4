//! All paths.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use super::guard::guard;
use super::openapi::openapi;
use super::{
    chats, decision, health, lists, memories, page, plans, program, proofs, sessions, streams,
};
use crate::app::App;
use crate::problem::{Problem, ProblemKind};

/// Returns all routes. The guard checks every request first, even a request to an unknown path.
pub(crate) fn routes(app: Arc<App>) -> Router {
    let session = Router::new()
        .route("/", get(sessions::session))
        .route("/versions", get(sessions::versions))
        .route("/timeline", get(sessions::timeline))
        .route("/events", get(streams::one))
        .route("/advertised", get(program::advertised))
        .route("/effects", get(program::effects))
        .route("/effects/settle", post(program::settle))
        .route("/decision", post(decision::decision))
        .route("/decide", post(program::decide))
        .route("/command", post(program::command))
        .route("/signal", post(program::signal))
        .route("/turn", post(program::turn))
        .route("/messages", get(chats::messages).post(chats::say));
    Router::new()
        .route("/", get(page::index))
        .route("/inbox", get(page::index))
        .route("/inbox/{*rest}", get(page::index))
        .route("/proofs", get(page::index))
        .route("/session/{*rest}", get(page::index))
        .route("/assets/{name}", get(page::asset))
        .route("/open", get(page::open))
        .route("/healthz", get(health::healthy))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .route("/openapi.json", get(openapi))
        .route("/api/me", get(lists::me))
        .route("/api/link", post(page::link))
        .route("/api/inbox", get(lists::inbox))
        .route("/api/sessions", get(lists::sessions))
        .nest("/api/sessions/{session}", session)
        .route("/api/events", get(streams::all))
        .route("/api/proofs", get(proofs::proofs))
        .route("/api/memory", get(memories::memory))
        .route("/api/plans", get(plans::plans))
        .route("/api/plans/{command}", post(plans::command))
        .fallback(async || Problem::not_found("there is no such path"))
        .method_not_allowed_fallback(async || {
            Problem::new(ProblemKind::Method, "the path does not support this method")
        })
        .layer(from_fn_with_state(Arc::clone(&app), guard))
        .with_state(app)
}
