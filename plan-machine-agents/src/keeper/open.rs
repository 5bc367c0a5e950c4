//! The keeper of one project: its documents, its machines and its sessions.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use plan_machine::gate::{EventContext, Gate, MachineSet, TurnId};
use plan_machine::interpret::InterpretedMachine;
use plan_machine_calls::{Classifier, FlagsTable, Project};
use plan_machine_sessions::store::{self, Sqlite, Store, StoreError, StoreErrorKind};
use plan_machine_sessions::{InvalidIdentity, Session, SessionIdentity, Sessions};
use tokio::time::timeout;

use super::card::{PlanCard, cards};
use super::delivery::{Deliveries, Delivery};
use super::error::GateError;
use super::names::identity;
use crate::agents::{AGENTS, Agent};
use crate::answer::AgentAnswer;
use crate::event::AgentEvent;
use crate::project::{self, Documents, ProjectError, SharedStore, Site, StateFolder};

/// The turn of a conversation in which no prompt has been proved to come from a person yet.
const CONVERSATION: &str = "conversation";

/// The maximum time to open a store that other computers share. It is shorter than the time limit of a hook, so that
/// the person learns why the gate is closed.
const OPENING: Duration = Duration::from_secs(15);

/// The gate of one project with its sessions: decides about events and calls.
pub struct Keeper {
    pub(super) home: StateFolder,
    pub(super) site: Site,
    pub(super) documents: Documents,
    pub(super) machines: MachineSet,
    pub(super) sessions: Sessions,
    store: ProjectStore,
    pub(super) deliveries: Deliveries,
}

/// The store of a project.
enum ProjectStore {
    /// A file that only this project uses.
    Own(Arc<Sqlite>),
    /// A store that other computers share.
    Shared(SharedStore),
}

/// The answer to an event, and the cards that the person has seen once the answer is written.
#[derive(Clone, Debug, PartialEq)]
pub struct HookReply {
    /// The answer to the agent.
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
    /// If anything is missing, changed, damaged, locked or not reachable. The gate is then closed.
    pub async fn open(home: &StateFolder, site: Site, folder: &Path) -> Result<Self, GateError> {
        let documents = Documents::read(&site)?;
        Self::opened(home, site, documents, folder, |path| Sqlite::open(path)).await
    }

    /// Opens the gate of a project for a single event, in a process that ends afterwards with [`leave`](Self::leave).
    ///
    /// # Errors
    ///
    /// In the same cases as [`open`](Self::open).
    pub(crate) async fn open_briefly(
        home: &StateFolder,
        site: Site,
        folder: &Path,
    ) -> Result<Self, GateError> {
        let (documents, store) = documents_and_store(&site)?;
        Self::opened(home, site, documents, folder, |path| {
            store.unwrap_or_else(|| Sqlite::open_briefly(path))
        })
        .await
    }

    async fn opened(
        home: &StateFolder,
        site: Site,
        documents: Documents,
        folder: &Path,
        open: impl FnOnce(&Path) -> Result<Sqlite, StoreError>,
    ) -> Result<Self, GateError> {
        let shared = project::check_and_find_store(&site, &documents)?;
        let guarded = guarded(home, &site, folder);
        let machines = machines(&documents, guarded)?;
        project::files::make_folder(&site.state)?;
        let (store, opened) = match shared {
            None => {
                let own = Arc::new(open(&site.store())?);
                let opened: Arc<dyn Store> = own.clone();
                (ProjectStore::Own(own), opened)
            }
            Some(shared) => {
                let opened = open_shared(&shared).await?;
                (ProjectStore::Shared(shared), opened)
            }
        };
        Ok(Self {
            home: home.clone(),
            deliveries: Deliveries::of(&site.state),
            sessions: Sessions::new(opened, machines.clone()),
            store,
            machines,
            site,
            documents,
        })
    }

    /// Returns the project that the gate belongs to.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Returns the documents of the project.
    #[must_use]
    pub fn documents(&self) -> &Documents {
        &self.documents
    }

    /// Returns the machines that the session document names.
    #[must_use]
    pub fn machines(&self) -> &MachineSet {
        &self.machines
    }

    /// Returns the store that the project shares with other computers; `None` if it has a store of its own.
    #[must_use]
    pub fn shared_store(&self) -> Option<&SharedStore> {
        match &self.store {
            ProjectStore::Own(_) => None,
            ProjectStore::Shared(shared) => Some(shared),
        }
    }

    /// Returns the identity that the session of a conversation has in the store: in a store that other computers share,
    /// its channel ends with the name of this project.
    ///
    /// # Errors
    ///
    /// If the name of the project is not valid in a channel.
    pub fn named(&self, session: &SessionIdentity) -> Result<SessionIdentity, InvalidIdentity> {
        match self.shared_store() {
            None => Ok(session.clone()),
            Some(shared) => shared.named(session),
        }
    }

    /// Returns all sessions of the store. If other computers share the store, these include sessions of other
    /// computers.
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

    /// Returns the session of the conversation that an event belongs to.
    pub(super) fn session_of(
        &self,
        agent: &dyn Agent,
        event: &AgentEvent,
    ) -> Result<Session, GateError> {
        let plain = identity(agent.name(), &event.conversation)?;
        Ok(self.session(&self.named(&plain)?))
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

    /// Gives up the store without closing it, so that the next process can use it. This process must end right
    /// afterwards.
    pub(crate) fn leave(self) {
        if let ProjectStore::Own(own) = &self.store {
            own.leave();
        }
        // Dropping the keeper would close the connection, which can wait for other processes and for the disk.
        std::mem::forget(self);
    }

    /// Returns the cards of all plans of a session that wait for a person.
    pub(super) async fn cards(&self, session: &Session) -> Result<Vec<PlanCard>, GateError> {
        let identity = session.identity();
        let cards = session
            .at_gate(|gate| cards(&self.documents, identity, gate))
            .await?;
        Ok(cards)
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

/// The result of opening the store of a project; `None` if the project has no store of its own yet.
type OpenedStore = Option<Result<Sqlite, StoreError>>;

/// Reads the documents of a project, and opens its store at the same time: an agent waits for both, and both take about
/// the same time.
fn documents_and_store(site: &Site) -> Result<(Documents, OpenedStore), ProjectError> {
    let path = site.store();
    let is_own = matches!(project::shared_store(site), Ok(None)) && path.exists();
    thread::scope(|scope| {
        let store = is_own.then(|| scope.spawn(|| Sqlite::open_briefly(&path)));
        let documents = project::read_trusted(site);
        // In a hook, a panic of the thread ends the process. Any other process continues, and opens the store later.
        let store = store.and_then(|store| store.join().ok());
        match documents {
            Ok(documents) => Ok((documents, store)),
            Err(error) => {
                // The process ends without changing the store, so there is nothing to close.
                std::mem::forget(store);
                Err(error)
            }
        }
    })
}

/// Opens a store that other computers share. It must exist: an empty database in its place would have no sessions.
async fn open_shared(shared: &SharedStore) -> Result<Arc<dyn Store>, GateError> {
    let opened = timeout(OPENING, store::open_existing(shared.address())).await;
    let opened = opened.unwrap_or_else(|_| {
        let late = format!("the server did not answer within {OPENING:?}");
        Err(StoreError::new(StoreErrorKind::Unreachable, late))
    });
    opened.map_err(|cause| GateError::SharedStore {
        address: store::without_password(shared.address()),
        cause,
    })
}

/// Joins the machines of a project. The agent may have tools with any name.
fn machines(documents: &Documents, project: Project) -> Result<MachineSet, GateError> {
    let session = &documents.session;
    let mut parts = Gate::builder()
        .any_host_tool()
        .command_prefix(session.prefix);
    if let Some(calls) = &session.calls {
        let document = calls.calls.document.clone();
        parts = parts.calls(Classifier::new(document, FlagsTable::built_in(), project));
    }
    for member in &session.members {
        parts = parts.with(InterpretedMachine::of(member.machine.clone()));
    }
    Ok(parts.join()?)
}

/// Returns the project as the classifier sees it: with the files that only a person may change or read, and with the
/// programs that start an agent.
fn guarded(home: &StateFolder, site: &Site, folder: &Path) -> Project {
    let mut project = Project::new(&site.root).folder(folder);
    let folders = [Some(home.root()), home.config(), site.document.parent()];
    for folder in folders.into_iter().flatten() {
        project = project.own(format!("{}/", folder.display()));
    }
    for secret in home.secrets() {
        project = project.secret(secret.display().to_string());
    }
    for agent in AGENTS {
        for program in agent.commands() {
            project = project.agent(*program);
        }
        for file in agent.installation().own_files {
            project = project.own(*file);
        }
    }
    project
}

#[cfg(test)]
mod tests {
    use plan_machine_kernel::calls::{Class, Document, ToolArguments};
    use plan_machine_kernel::json::Object;

    use super::*;

    #[test]
    fn every_program_that_starts_an_agent_is_refused_like_codex() {
        let place = tempfile::tempdir().expect("a folder");
        let home = StateFolder::at(place.path().join("state"));
        let site = Site::of_project(&home, &place.path().join("project"));
        let document = Document {
            name: "Tools".to_owned(),
            tools: vec![ToolArguments {
                command: Some("command".to_owned()),
                ..ToolArguments::named("Bash")
            }],
            classes: vec!["writes".to_owned()],
            rules: Vec::new(),
            otherwise: 0,
        };
        let project = guarded(&home, &site, &site.root);
        let classifier = Classifier::new(document, FlagsTable::built_in(), project);
        let classify = |command: &str| {
            let arguments = Object::from_iter([("command", command)]);
            classifier.classify("Bash", &arguments.into())
        };
        for program in AGENTS.into_iter().flat_map(Agent::commands) {
            for command in [format!("'{program}' x"), format!("npx '{program}' x")] {
                let found = classify(&command);
                assert_eq!(found.class, Class::Guard, "{command}");
                let why = found.why.unwrap_or_default();
                assert_eq!(why, format!("the command runs `{program}`, an agent"));
            }
        }
        for command in ["helper x", "npx jest cursor"] {
            assert_ne!(classify(command).class, Class::Guard, "{command}");
        }
    }
}
