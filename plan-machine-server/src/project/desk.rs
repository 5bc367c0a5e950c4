//! The project that is served now. The documents of a gated project may change, and a person may trust the new ones.

use std::sync::{Arc, PoisonError, RwLock};

use plan_machine_agents::keeper::{GateError, Keeper};
use plan_machine_agents::project::{self, Documents, SharedStore, Site, StateFolder};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::served::ServedProject;
use crate::problem::{Problem, ProblemKind};

/// The project that is served now.
pub struct Desk {
    current: RwLock<Current>,
    gated: Option<(StateFolder, Site)>,
    /// Counts how often the project was opened again.
    changes: watch::Sender<u64>,
}

/// A project, and the data with which it was opened.
#[derive(Clone)]
struct Current {
    project: Arc<ServedProject>,
    /// The digest of the documents.
    digest: String,
    /// The store that the project shares with other computers.
    shared: Option<SharedStore>,
}

impl Current {
    fn of_keeper(keeper: &Keeper) -> Self {
        Self {
            project: Arc::new(ServedProject::of_keeper(keeper)),
            digest: keeper.documents().digest.clone(),
            shared: keeper.shared_store().cloned(),
        }
    }
}

impl Desk {
    /// Serves a project that does not change.
    #[must_use]
    pub fn fixed(project: ServedProject) -> Self {
        let current = Current {
            project: Arc::new(project),
            digest: String::new(),
            shared: None,
        };
        Self::of(current, None)
    }

    /// Serves a gated project.
    ///
    /// # Errors
    ///
    /// If the gate is closed.
    pub async fn gated(home: StateFolder, site: Site) -> Result<Self, GateError> {
        let keeper = Keeper::open(&home, site.clone(), &site.root).await?;
        Ok(Self::of(Current::of_keeper(&keeper), Some((home, site))))
    }

    fn of(current: Current, gated: Option<(StateFolder, Site)>) -> Self {
        Self {
            current: RwLock::new(current),
            gated,
            changes: watch::Sender::new(0),
        }
    }

    /// Returns the project with the documents with which it was last opened.
    #[must_use]
    pub fn project(&self) -> Arc<ServedProject> {
        self.now().project
    }

    fn now(&self) -> Current {
        let current = self.current.read();
        current.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns a receiver that is notified when the project is opened again.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Returns the project with its current documents. A change that nobody has trusted closes the gate: a decision
    /// would be worthless if it followed rules other than those of the agent's hook.
    ///
    /// # Errors
    ///
    /// If the documents are not trusted or cannot be read.
    pub async fn fresh(&self) -> Result<Arc<ServedProject>, Problem> {
        let Some((home, site)) = self.gated.clone() else {
            return Ok(self.project());
        };
        let known = self.now();
        let (before, runtime) = (known.clone(), Handle::current());
        // Reading the documents blocks, so it does not happen on the threads of the server.
        let opened =
            tokio::task::spawn_blocking(move || runtime.block_on(reopened(&home, &site, &before)));
        let opened = opened
            .await
            .map_err(|error| Problem::new(ProblemKind::Internal, error.to_string()))?;
        let Some(current) = opened? else {
            return Ok(known.project);
        };
        let project = Arc::clone(&current.project);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = current;
        self.changes.send_modify(|changes| *changes += 1);
        Ok(project)
    }
}

/// Opens a project again if its documents have changed.
async fn reopened(
    home: &StateFolder,
    site: &Site,
    before: &Current,
) -> Result<Option<Current>, GateError> {
    let documents = Documents::read(site)?;
    project::check(site, &documents)?;
    if project::shared_store(site)? != before.shared {
        let moved = "this project now has another session store; start `plan-machine serve` again";
        return Err(GateError::Request(moved.to_owned()));
    }
    if documents.digest == before.digest {
        return Ok(None);
    }
    let keeper = Keeper::open(home, site.clone(), &site.root).await?;
    Ok(Some(Current::of_keeper(&keeper)))
}
