//! The project that is served now. The documents of a gated project may change, and a person may trust the new ones.

use std::sync::{Arc, PoisonError, RwLock};

use plan_machine_agents::keeper::{GateError, Keeper};
use plan_machine_agents::project::{self, Documents, Site, StateFolder};
use tokio::sync::watch;

use super::served::Project;
use crate::problem::{Problem, ProblemKind};

/// The project that is served now.
pub struct Desk {
    current: RwLock<Current>,
    gated: Option<(StateFolder, Site)>,
    /// Counts how often the project was opened again.
    changes: watch::Sender<u64>,
}

/// A project, and the digest of the documents with which it was opened.
#[derive(Clone)]
struct Current {
    project: Arc<Project>,
    digest: String,
}

impl Desk {
    /// Serves a project that does not change.
    #[must_use]
    pub fn fixed(project: Project) -> Self {
        Self::of(project, String::new(), None)
    }

    /// Serves a gated project.
    ///
    /// # Errors
    ///
    /// If the gate is closed.
    pub fn gated(home: StateFolder, site: Site) -> Result<Self, GateError> {
        let keeper = Keeper::open(&home, site.clone(), &site.root)?;
        let digest = keeper.documents().digest.clone();
        Ok(Self::of(
            Project::of_keeper(&keeper),
            digest,
            Some((home, site)),
        ))
    }

    fn of(project: Project, digest: String, gated: Option<(StateFolder, Site)>) -> Self {
        let project = Arc::new(project);
        Self {
            current: RwLock::new(Current { project, digest }),
            gated,
            changes: watch::Sender::new(0),
        }
    }

    /// Returns the project with the documents with which it was last opened.
    #[must_use]
    pub fn project(&self) -> Arc<Project> {
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
    pub async fn fresh(&self) -> Result<Arc<Project>, Problem> {
        let Some((home, site)) = self.gated.clone() else {
            return Ok(self.project());
        };
        let known = self.now();
        let digest = known.digest.clone();
        // Reading the documents blocks, so it does not happen on the threads of the server.
        let opened = tokio::task::spawn_blocking(move || reopened(&home, &site, &digest));
        let opened = opened
            .await
            .map_err(|error| Problem::new(ProblemKind::Internal, error.to_string()))?;
        let Some((project, digest)) = opened? else {
            return Ok(known.project);
        };
        let project = Arc::new(project);
        let current = Current {
            project: Arc::clone(&project),
            digest,
        };
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = current;
        self.changes.send_modify(|changes| *changes += 1);
        Ok(project)
    }
}

/// Opens a project again if its documents have changed.
fn reopened(
    home: &StateFolder,
    site: &Site,
    digest: &str,
) -> Result<Option<(Project, String)>, GateError> {
    let documents = Documents::read(site)?;
    project::check(site, &documents)?;
    if documents.digest == digest {
        return Ok(None);
    }
    let keeper = Keeper::open(home, site.clone(), &site.root)?;
    Ok(Some((Project::of_keeper(&keeper), documents.digest)))
}
