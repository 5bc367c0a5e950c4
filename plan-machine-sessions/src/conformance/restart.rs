//! A session that cannot be read is restarted, and its stored data remains.

use std::sync::Arc;

use super::kit::{Broken, LawResult, Tried, empty, fresh, same, stored};
use crate::error::SessionError;
use crate::journal::Chain;
use crate::session::Sessions;
use crate::store::{Commit, Row};
use plan_machine::gate::{EventContext, Gate};

impl From<SessionError> for Broken {
    fn from(error: SessionError) -> Self {
        Self(format!("expected an answer, found an error: {error}"))
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
    same("the session cannot be read", &unreadable, &true)?;
    let around = EventContext::now().by("conformance");
    let seq = session.restart("it cannot be read", &around).await?;
    same("the number of the restart", &seq, &2)?;
    let rows = store.history(&identity, 0, u32::MAX).await?;
    same("the entry before the restart", &rows.first(), &Some(&row))?;
    same("how many entries there are", &rows.len(), &2)?;
    session.reopen().await;
    same("its plans", &session.plans().await?.len(), &0)?;
    same("its effects", &session.effects().await?.len(), &0)
}
