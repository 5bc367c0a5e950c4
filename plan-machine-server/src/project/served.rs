//! The sessions that are served.

use std::path::PathBuf;
use std::sync::Arc;

use plan_machine::description::Description;
use plan_machine::gate::Gate;
use plan_machine_agents::agents::agent_and_project;
use plan_machine_agents::keeper::{Deliveries, Keeper};
use plan_machine_sessions::store::Store;
use plan_machine_sessions::{Session, SessionIdentity, Sessions};

use super::documents::SessionDocuments;
use super::error::ServeError;

/// Returns the position of a session's documents; `None` if the session has none.
type Choose = Box<dyn Fn(&SessionIdentity) -> Option<usize> + Send + Sync>;

/// The sessions of a gated project, of a store, or of a host.
pub struct ServedProject {
    /// The name that people know the project by.
    pub name: String,
    /// The folder of the project.
    pub root: Option<PathBuf>,
    /// Which cards were shown, if the project is gated: a person can decide only about content that was shown.
    pub deliveries: Option<Deliveries>,
    /// The list of denied calls, if the project is gated.
    pub audit: Option<PathBuf>,
    /// Whether all sessions belong to gated agents, whatever their channels are called.
    all_gated: bool,
    documents: Vec<Arc<SessionDocuments>>,
    choose: Choose,
    sessions: Sessions,
}

impl ServedProject {
    /// Returns the sessions of a gated project.
    #[must_use]
    pub fn of_keeper(keeper: &Keeper) -> Self {
        let root = &keeper.site().root;
        let name = root.file_name().unwrap_or(root.as_os_str());
        Self {
            name: name.to_string_lossy().into_owned(),
            root: Some(root.clone()),
            deliveries: Some(keeper.deliveries().clone()),
            audit: Some(keeper.site().state.join("audit.jsonl")),
            all_gated: true,
            documents: vec![Arc::new(SessionDocuments::of_keeper(keeper))],
            choose: Box::new(|_| Some(0)),
            sessions: keeper.sessions().clone(),
        }
    }

    /// Returns the sessions of a store. Each document is for one channel, or for all channels without their own
    /// document. Sessions of a channel without a document have no machines, and their timers are left to their host.
    ///
    /// # Errors
    ///
    /// If there is no document.
    pub fn of_store(
        name: impl Into<String>,
        store: Arc<dyn Store>,
        documents: Vec<(Option<String>, SessionDocuments)>,
    ) -> Result<Self, ServeError> {
        let mut documents = documents;
        // The documents of a channel come first, and those of all other channels last.
        documents.sort_by_key(|(channel, _)| channel.is_none());
        let (channels, documents): (Vec<Option<String>>, Vec<SessionDocuments>) =
            documents.into_iter().unzip();
        let all: Vec<_> = documents.iter().map(|one| one.machines().clone()).collect();
        if all.is_empty() {
            return Err(ServeError::NoDocument);
        }
        // Without machines and host tools, a gate denies every call.
        let none = Gate::builder().join()?;
        let of_channels = channels.clone();
        let sessions = Sessions::choosing(store, move |session| {
            let chosen = of_channel(&of_channels, session).and_then(|at| all.get(at));
            chosen.unwrap_or(&none).clone()
        });
        let choose = move |session: &SessionIdentity| of_channel(&channels, session);
        Ok(Self::of_host(name, sessions, documents, choose))
    }

    /// Returns the sessions of a host, which has opened them with its own machines. `choose` returns the position of
    /// the documents that describe the machines of a session. Timers of sessions without documents are left to the host.
    pub fn of_host(
        name: impl Into<String>,
        sessions: Sessions,
        documents: Vec<SessionDocuments>,
        choose: impl Fn(&SessionIdentity) -> Option<usize> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            root: None,
            deliveries: None,
            audit: None,
            all_gated: false,
            documents: documents.into_iter().map(Arc::new).collect(),
            choose: Box::new(choose),
            sessions,
        }
    }

    /// Treats all sessions as those of gated agents, because the store belongs to a gated project.
    #[must_use]
    pub fn all_gated(mut self) -> Self {
        self.all_gated = true;
        self
    }

    /// Returns all sessions.
    #[must_use]
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// Returns one session.
    #[must_use]
    pub fn session(&self, session: &SessionIdentity) -> Session {
        self.sessions.session(session)
    }

    /// Returns the documents of a session; `None` if its channel has none.
    #[must_use]
    pub fn documents(&self, session: &SessionIdentity) -> Option<&Arc<SessionDocuments>> {
        (self.choose)(session).and_then(|at| self.documents.get(at))
    }

    /// Returns all documents.
    pub fn all_documents(&self) -> impl Iterator<Item = &Arc<SessionDocuments>> {
        self.documents.iter()
    }

    /// Returns whether a session belongs to a gated agent: in this project, in the store of a gated project, or in a
    /// shared database of such projects, where the channel names the agent and the project. No host carries out the
    /// effects of such a session: the agents and this server show the plans themselves, so nothing is missing if an
    /// effect is never settled.
    pub(crate) fn is_gated(&self, session: &SessionIdentity) -> bool {
        self.all_gated || agent_and_project(session.channel()).is_some()
    }

    /// Returns the tables of a machine of a session.
    #[must_use]
    pub fn tables(&self, session: &SessionIdentity, machine: &str) -> Option<&'static Description> {
        let mut machines = self.documents(session)?.machines().machines();
        machines.find(|tables| tables.name == machine)
    }
}

/// Returns the position of the documents for the channel of a session.
fn of_channel(channels: &[Option<String>], session: &SessionIdentity) -> Option<usize> {
    channels.iter().position(|channel| {
        let is_own = |channel: &String| channel == session.channel();
        channel.as_ref().is_none_or(is_own)
    })
}
