//! `GET /api/proofs`.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use plan_machine_kernel::json::Json;

use super::roles::AsReader;
use crate::app::App;
use crate::http::json;
use crate::views::{ProofState, Proofs};

/// Returns the proofs, or starts proving. Proving may take seconds, so the client repeats the request.
pub(super) async fn proofs(State(app): State<Arc<App>>, _: AsReader) -> Response {
    let (state, edition) = app.proofs.begin();
    if state == ProofState::Unknown {
        let app = Arc::clone(&app);
        let project = app.desk.project();
        let files = project.all_documents();
        let files: Vec<_> = files.map(|one| one.file().to_owned()).collect();
        tokio::task::spawn_blocking(move || {
            let documents = files.iter().flat_map(|file| Proofs::prove(file));
            let documents: Vec<Json> = documents.collect();
            app.proofs.set(edition, documents.into());
        });
    }
    json(Proofs::json(&state))
}
