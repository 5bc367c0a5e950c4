//! The law about restarts: a session that cannot be read can be restarted, and its entries remain.

use std::sync::Arc;

use super::kit::{Broken, LawResult, Tried, empty, fresh, same, stored};
use crate::error::SessionError;
use crate::journal::Chain;
use crate::session::Sessions;
use crate::store::{Commit, Row};
use plan_machine::gate::{EventContext, Gate};

impl From<SessionError> for Broken {
    fn from(error: SessionError) -> Self {
        Self(format!("expected a result, found an error: {error}"))
    }
}

pub(super) async fn unreadable(store: Tried) -> LawResult {
    let identity = fresh()?;
    let body = "this is not an entry";
    let row = Row {
        seq: 1,
        body: body.to_owned(),
        digest: Chain::start(&identity).then(body).digest(),
    };
    let commit = Commit {
        rows: vec![row.clone()],
        effects: vec![(1, 0)],
        ..empty(&identity, 0)
    };
    stored(&store, "an entry that cannot be read", commit).await?;
    let machines = Gate::builder().join();
    let machines = machines.map_err(|conflict| Broken(conflict.to_string()))?;
    let sessions = Sessions::new(Arc::clone(&store), machines);
    let session = sessions.session(&identity);
    let unreadable = matches!(session.plans().await, Err(SessionError::Unreadable { .. }));
    same("whether the session is unreadable", &unreadable, &true)?;
    let around = EventContext::now().by("conformance");
    let seq = session
        .restart("the session cannot be read", &around)
        .await?;
    same(
        "the number of the entry that restarts the session",
        &seq,
        &2,
    )?;
    let rows = store.history(&identity, 0, u32::MAX).await?;
    same("the entry before the restart", &rows.first(), &Some(&row))?;
    same("the number of entries after the restart", &rows.len(), &2)?;
    session.reopen().await;
    same(
        "the number of plans after the restart",
        &session.plans().await?.len(),
        &0,
    )?;
    same(
        "the number of pending effects after the restart",
        &session.effects().await?.len(),
        &0,
    )
}
