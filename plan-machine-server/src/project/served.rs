//! The sessions that are served.

use std::path::PathBuf;
use std::sync::Arc;

use plan_machine::description::Description;
use plan_machine_agents::keeper::{Deliveries, Keeper};
use plan_machine_sessions::store::Store;
use plan_machine_sessions::{Session, SessionIdentity, Sessions};

use super::documents::SessionDocuments;
use super::error::ServeError;

/// The documents of the sessions of one channel; `None` for all channels without their own documents.
type OfChannel = (Option<String>, Arc<SessionDocuments>);

/// The sessions of a gated project, or of a store.
pub struct Project {
    /// The name that people know the project by.
    pub name: String,
    /// The folder of the project.
    pub root: Option<PathBuf>,
    /// Which cards were shown, if the project is gated: a person can decide only about content that was shown.
    pub deliveries: Option<Deliveries>,
    /// The list of denied calls, if the project is gated.
    pub audit: Option<PathBuf>,
    documents: Vec<OfChannel>,
    sessions: Sessions,
}

impl Project {
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
            documents: vec![(None, Arc::new(SessionDocuments::of_keeper(keeper)))],
            sessions: keeper.sessions().clone(),
        }
    }

    /// Returns the sessions of a store. Each document is for one channel, or for all channels without their own
    /// document.
    ///
    /// # Errors
    ///
    /// If there is no document.
    pub fn of_store(
        name: impl Into<String>,
        store: Arc<dyn Store>,
        documents: Vec<(Option<String>, SessionDocuments)>,
    ) -> Result<Self, ServeError> {
        let documents = documents.into_iter();
        let mut documents: Vec<OfChannel> = documents
            .map(|(channel, documents)| (channel, Arc::new(documents)))
            .collect();
        // The documents of a channel come first, and those of all other channels last.
        documents.sort_by_key(|(channel, _)| channel.is_none());
        let (_, otherwise) = documents.last().ok_or(ServeError::NoDocument)?;
        let otherwise = otherwise.machines().clone();
        let chosen = documents.clone();
        let sessions = Sessions::choosing(store, move |session| {
            let found = choose(&chosen, session);
            found.map_or_else(|| otherwise.clone(), |found| found.machines().clone())
        });
        Ok(Self {
            name: name.into(),
            root: None,
            deliveries: None,
            audit: None,
            documents,
            sessions,
        })
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
        choose(&self.documents, session)
    }

    /// Returns all documents.
    pub fn all_documents(&self) -> impl Iterator<Item = &Arc<SessionDocuments>> {
        self.documents.iter().map(|(_, documents)| documents)
    }

    /// Returns the tables of a machine of a session.
    #[must_use]
    pub fn tables(&self, session: &SessionIdentity, machine: &str) -> Option<&'static Description> {
        let mut machines = self.documents(session)?.machines().machines();
        machines.find(|tables| tables.name == machine)
    }
}

fn choose<'d>(
    documents: &'d [OfChannel],
    session: &SessionIdentity,
) -> Option<&'d Arc<SessionDocuments>> {
    let mut documents = documents.iter();
    let found = documents.find(|(channel, _)| {
        let is_own = |channel: &String| channel == session.channel();
        channel.as_ref().is_none_or(is_own)
    });
    found.map(|(_, documents)| documents)
}
