//! The store that a command examines.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

use clap::ValueEnum;
use plan_machine_agents::project::SharedStore;
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::store::{
    ListedSession, Store, StoreError, StoreErrorKind, UnlistedSession,
};

use crate::output::{Failure, did_you_mean};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Human,
    Json,
}

/// The number of sessions that are listed at a time.
const SESSIONS: u32 = 64;

/// A store that is being examined.
pub(super) struct Log {
    pub(super) store: Arc<dyn Store>,
    pub(super) name: String,
    pub(super) format: Format,
    /// Whether a host carries out the effects of the sessions. The gated project in this folder has no host: its effects
    /// are never carried out, so they are not shown as pending.
    pub(super) has_host: bool,
    /// The list of denied calls of the gated project in this folder; `None` if this store does not belong to it.
    pub(super) denials: Option<PathBuf>,
    /// The store of the gated project in this folder, if other computers share it: only the sessions of this project
    /// are listed.
    pub(super) only: Option<SharedStore>,
}

impl Log {
    pub(super) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Returns the failure of a command that cannot continue because of an error in the store.
    pub(super) fn failed(&self, error: impl Display) -> Failure {
        Failure::usage(format!("`{}`: {error}", self.name))
    }

    /// Returns the store's answer, or the failure of the command.
    pub(super) fn read<T>(&self, answer: Result<T, StoreError>) -> Result<T, Failure> {
        answer.map_err(|error| self.failed(error))
    }

    /// Returns the next page of sessions, after the given one.
    pub(super) async fn page(
        &self,
        after: Option<&SessionIdentity>,
    ) -> Result<Vec<ListedSession>, Failure> {
        let mut after = after.cloned();
        loop {
            let mut page = self.read(self.store.sessions(after.as_ref(), SESSIONS).await)?;
            let Some(last) = page.last() else {
                return Ok(page);
            };
            after = Some(last.session.clone());
            if let Some(only) = &self.only {
                page.retain(|listed| only.contains(&listed.session));
            }
            if !page.is_empty() {
                return Ok(page);
            }
        }
    }

    /// Returns the session with this name, which must exist.
    pub(super) async fn session(&self, text: &str) -> Result<SessionIdentity, Failure> {
        let session = identity(text)?;
        if self.exists(&session).await? {
            return Ok(session);
        }
        let some = self.read(self.store.sessions(None, 1000).await)?;
        let names: Vec<String> = some.iter().map(|one| one.session.to_string()).collect();
        let near = did_you_mean(text, names.iter().map(String::as_str));
        Err(Failure::usage(format!(
            "`{}` has no session `{session}`{near}",
            self.name
        )))
    }

    /// Returns whether a session exists. The record of a damaged session might not count its entries, and all entries
    /// might be lost, so everything else that belongs to the session is read as well.
    pub(super) async fn exists(&self, session: &SessionIdentity) -> Result<bool, Failure> {
        let store = &self.store;
        let head = store.head(session).await;
        if matches!(&head, Err(error) if error.kind == StoreErrorKind::Damaged) {
            return Ok(true);
        }
        if self.read(head)?.seq > 0 {
            return Ok(true);
        }
        if !self.read(store.history(session, 0, 1).await)?.is_empty()
            || !self
                .read(store.answers(session, 0, u64::MAX).await)?
                .is_empty()
        {
            return Ok(true);
        }
        match store.read(session).await {
            Err(error) if error.kind == StoreErrorKind::Damaged => Ok(true),
            read => Ok(self.read(read)?.snapshot.is_some()),
        }
    }

    /// Returns the sessions that cannot be listed, because their names are damaged.
    pub(super) async fn unlisted(&self) -> Result<Vec<UnlistedSession>, Failure> {
        self.read(self.store.unlisted().await)
    }

    /// Returns the given session, or all sessions, sorted by identity.
    pub(super) async fn chosen(&self, one: Option<&str>) -> Result<Vec<ListedSession>, Failure> {
        if let Some(text) = one {
            let session = self.session(text).await?;
            let seq = match self.store.head(&session).await {
                Err(error) if error.kind == StoreErrorKind::Damaged => 0,
                head => self.read(head)?.seq,
            };
            return Ok(vec![ListedSession { session, seq }]);
        }
        let mut all: Vec<ListedSession> = Vec::new();
        loop {
            let page = self.page(all.last().map(|listed| &listed.session)).await?;
            if page.is_empty() {
                return Ok(all);
            }
            all.extend(page);
        }
    }
}

/// Reads the identity of a session, as CHANNEL:CONVERSATION.
pub(super) fn identity(text: &str) -> Result<SessionIdentity, Failure> {
    text.parse()
        .map_err(|error| Failure::usage(format!("{error}")))
}

/// Describes a session that cannot be listed, and says how to use it again.
pub(super) fn unlisted(one: &UnlistedSession) -> String {
    let many = entries(usize::try_from(one.entries).unwrap_or(usize::MAX));
    let session = match &one.identity {
        Some(identity) => identity.to_string(),
        None => "SESSION".to_owned(),
    };
    format!(
        "{} ({many} kept); `plan-machine log --store STORE restart {session} --why TEXT` starts the session over under its original name and keeps its entries",
        one.problem
    )
}

/// Formats a count: `1 entry`, `2 entries`.
pub(super) fn entries(number: usize) -> String {
    match number {
        1 => "1 entry".to_owned(),
        _ => format!("{number} entries"),
    }
}
