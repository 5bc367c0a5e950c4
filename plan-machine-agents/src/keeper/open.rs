//! The keeper of one project: its documents, its machines and its sessions.

use std::path::Path;
use std::sync::Arc;

use plan_machine::gate::{EventContext, Gate, MachineSet, TurnId};
use plan_machine::interpret::InterpretedMachine;
use plan_machine_calls::{Classifier, FlagsTable, Project};
use plan_machine_sessions::store::{Sqlite, Store, StoreError};
use plan_machine_sessions::{Session, SessionIdentity, Sessions};

use super::delivery::{Deliveries, Delivery};
use super::error::GateError;
use crate::agents::AGENTS;
use crate::answer::AgentAnswer;
use crate::project::{self, Documents, ProjectError, Site, StateFolder};

/// The turn of a conversation in which no prompt has been proved to come from a person yet.
const CONVERSATION: &str = "conversation";

/// The keeper of one project.
pub struct Keeper {
    pub(super) home: StateFolder,
    pub(super) site: Site,
    pub(super) documents: Documents,
    pub(super) machines: MachineSet,
    pub(super) sessions: Sessions,
    store: Arc<Sqlite>,
    pub(super) deliveries: Deliveries,
}

/// The answer to an event, and the cards that the person has seen once the answer is written.
#[derive(Clone, Debug, PartialEq)]
pub struct HookReply {
    /// The answer.
    pub answer: AgentAnswer,
    /// The deliveries to store as soon as the answer is written.
    pub deliveries: Vec<Delivery>,
}

impl From<AgentAnswer> for HookReply {
    fn from(answer: AgentAnswer) -> Self {
        Self {
            answer,
            deliveries: Vec::new(),
        }
    }
}

impl Keeper {
    /// Opens the gate of a project for an agent that works in this folder. The documents must be trusted and proved.
    ///
    /// # Errors
    ///
    /// If anything is missing, changed, damaged or locked. The gate is then closed.
    pub fn open(home: &StateFolder, site: Site, folder: &Path) -> Result<Self, GateError> {
        let documents = Documents::read(&site)?;
        Self::opened(home, site, documents, folder, |path| Sqlite::open(path))
    }

    /// Opens the gate of a project for a single event, in a process that ends afterwards with [`leave`](Self::leave).
    ///
    /// # Errors
    ///
    /// As with [`open`](Self::open).
    pub(crate) fn open_briefly(
        home: &StateFolder,
        site: Site,
        folder: &Path,
    ) -> Result<Self, GateError> {
        let documents = project::read_trusted(&site)?;
        Self::opened(home, site, documents, folder, |path| {
            Sqlite::open_briefly(path)
        })
    }

    fn opened(
        home: &StateFolder,
        site: Site,
        documents: Documents,
        folder: &Path,
        open: impl FnOnce(&Path) -> Result<Sqlite, StoreError>,
    ) -> Result<Self, GateError> {
        project::check(&site, &documents)?;
        let machines = machines(home, &site, &documents, folder)?;
        let path = site.store();
        project::files::make_folder(&site.state)?;
        let store = Arc::new(open(&path)?);
        let shared: Arc<dyn Store> = store.clone();
        Ok(Self {
            home: home.clone(),
            deliveries: Deliveries::of(&site.state),
            sessions: Sessions::new(shared, machines.clone()),
            store,
            machines,
            site,
            documents,
        })
    }

    /// Returns the project.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Returns the documents.
    #[must_use]
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// Returns the machines.
    #[must_use]
    pub fn machines(&self) -> &MachineSet {
        &self.machines
    }

    /// Returns all sessions of the project.
    #[must_use]
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Returns which cards were shown to a person.
    #[must_use]
    pub fn deliveries(&self) -> &Deliveries {
        &self.deliveries
    }

    /// Returns the session with this identity.
    #[must_use]
    pub fn session(&self, identity: &SessionIdentity) -> Session {
        self.sessions.session(identity)
    }

    /// Deletes a session that no person works in.
    pub(crate) async fn forget(&self, session: &SessionIdentity) -> Result<(), GateError> {
        self.sessions.delete(session).await?;
        Ok(())
    }

    /// Records which cards were shown. Call this after they were shown.
    ///
    /// # Errors
    ///
    /// If a card cannot be stored as shown; it and the cards after it then do not count as shown.
    pub fn delivered(&self, deliveries: &[Delivery]) -> Result<(), ProjectError> {
        self.deliveries.add(deliveries)
    }

    /// Closes the store, so that its file is complete.
    ///
    /// # Errors
    ///
    /// If the store fails.
    pub async fn close(&self) -> Result<(), GateError> {
        Ok(self.sessions.store().close().await?)
    }

    /// Leaves the store to the next process. This process must end now.
    pub(crate) fn leave(self) {
        self.store.leave();
        // Without this, the connection would be closed, which can wait for other processes and for the disk.
        std::mem::forget(self);
    }

    /// Begins a turn if none has begun in the conversation. In this turn, a host tool runs only if it could also run at
    /// the first event, or if a person's command has allowed it since.
    pub(super) async fn ensure_turn(
        &self,
        session: &Session,
        around: &EventContext,
    ) -> Result<(), GateError> {
        if session.at_gate(|gate| gate.turn().is_none()).await? {
            session
                .begin_turn(&TurnId::new(CONVERSATION), around)
                .await?;
        }
        Ok(())
    }
}

/// Joins the machines of a project. The agent may have tools with any name.
fn machines(
    home: &StateFolder,
    site: &Site,
    documents: &Documents,
    folder: &Path,
) -> Result<MachineSet, GateError> {
    let session = &documents.session;
    let mut parts = Gate::builder()
        .any_host_tool()
        .command_prefix(session.prefix);
    if let Some(calls) = &session.calls {
        let document = calls.calls.document.clone();
        let project = guarded(home, site, folder);
        parts = parts.calls(Classifier::new(document, FlagsTable::built_in(), project));
    }
    for member in &session.members {
        parts = parts.with(InterpretedMachine::of(member.machine.clone()));
    }
    Ok(parts.join()?)
}

/// Returns the project as the classifier sees it: with the files that only a person may change.
fn guarded(home: &StateFolder, site: &Site, folder: &Path) -> Project {
    let mut project = Project::new(&site.root).folder(folder);
    let folders = [Some(home.root()), home.config(), site.document.parent()];
    for folder in folders.into_iter().flatten() {
        project = project.own(format!("{}/", folder.display()));
    }
    project = project.secret(home.key().display().to_string());
    for agent in AGENTS {
        for file in agent.installation().own_files {
            project = project.own(*file);
        }
    }
    project
}
