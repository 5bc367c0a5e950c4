//! The gates of the projects to which a client's calls belong.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use plan_machine_sessions::SessionIdentity;
use tokio::sync::Mutex;

use crate::agents;
use crate::keeper::{GateError, Keeper};
use crate::project::{self, Documents, Site, StateFolder};

/// The maximum number of gates that stay open. A client usually works in one project.
const MOST: usize = 16;

/// The gates that have been opened so far.
pub(super) struct Gates {
    home: StateFolder,
    folder: PathBuf,
    open: Mutex<HashMap<PathBuf, Arc<Keeper>>>,
}

impl Gates {
    pub(super) fn new(home: StateFolder, folder: PathBuf) -> Self {
        Self {
            home,
            folder,
            open: Mutex::default(),
        }
    }

    /// Returns the gate of the folder in which the server was started.
    pub(super) async fn here(&self) -> Result<Arc<Keeper>, GateError> {
        let site = project::find(&self.home, &self.folder);
        self.open(site.ok_or_else(|| self.not_gated())?).await
    }

    /// Returns the gate of a session. A conversation stays in the first gated project in which it had an event.
    pub(super) async fn of(&self, session: &SessionIdentity) -> Result<Arc<Keeper>, GateError> {
        let (agent, conversation) = (session.channel(), session.conversation());
        // Only conversations of agents have a note about their project, and it is stored under the agent's own id,
        // which cannot be found from a digest.
        if agents::agent(agent).is_none() || conversation.starts_with("sha256-") {
            return self.here().await;
        }
        let site = project::find_for(&self.home, agent, conversation, &self.folder)?;
        self.open(site.ok_or_else(|| self.not_gated())?).await
    }

    /// Opens a gate. The documents are read again for each call: a change that no person has trusted closes the gate.
    async fn open(&self, site: Site) -> Result<Arc<Keeper>, GateError> {
        let documents = Documents::read(&site)?;
        let shared = project::check_and_find_store(&site, &documents)?;
        let is_current = |keeper: &&Arc<Keeper>| {
            keeper.documents().digest == documents.digest
                && *keeper.site() == site
                && keeper.shared_store() == shared.as_ref()
        };
        if let Some(keeper) = self.open.lock().await.get(&site.state).filter(is_current) {
            return Ok(Arc::clone(keeper));
        }
        // The server of a shared store may take a long time to answer, so no lock is held: calls in other projects must
        // not wait for it.
        let keeper = Keeper::open(&self.home, site.clone(), &self.folder).await?;
        let mut open = self.open.lock().await;
        // Another call may have opened the same gate in the meantime.
        if let Some(keeper) = open.get(&site.state).filter(is_current) {
            return Ok(Arc::clone(keeper));
        }
        if open.len() >= MOST {
            open.clear();
        }
        let keeper = Arc::new(keeper);
        open.insert(site.state, Arc::clone(&keeper));
        Ok(keeper)
    }

    /// Closes the stores, so that their files are complete.
    pub(super) async fn close(&self) {
        let open = std::mem::take(&mut *self.open.lock().await);
        for keeper in open.values() {
            // What was stored is durable, even if the store is not closed.
            let _ = keeper.close().await;
        }
    }

    fn not_gated(&self) -> GateError {
        let folder = self.folder.display();
        GateError::Request(format!(
            "`{folder}` is not in a project that plan-machine gates; ask the user to run `plan-machine init --agent NAME` there"
        ))
    }
}
