//! The reasons why the gate cannot decide, or cannot carry out a request.

use plan_machine::gate::Conflict;
use plan_machine_sessions::store::StoreError;
use plan_machine_sessions::{InvalidIdentity, SessionError};
use thiserror::Error;

use crate::event::EventError;
use crate::project::ProjectError;

/// The reason why the gate cannot decide about an event, or cannot carry out a person's request. If the gate cannot
/// decide about a call, the call is denied.
#[derive(Debug, Error)]
pub enum GateError {
    /// The event cannot be read.
    #[error("{0}")]
    Event(#[from] EventError),
    /// The files of the project or of the state folder cannot be used, or the documents are not trusted.
    #[error("{0}")]
    Project(#[from] ProjectError),
    /// The store cannot be used.
    #[error("the session store cannot be used: {0}")]
    Store(#[from] StoreError),
    /// The store that the project shares with other computers cannot be opened.
    #[error(
        "the session store `{address}` cannot be used: {cause}; start its server, or run `plan-machine init --agent NAME --store postgres:URL` in a terminal if the address has changed"
    )]
    SharedStore {
        /// The address of the store, without its password.
        address: String,
        /// The error of the store.
        cause: StoreError,
    },
    /// The session cannot answer.
    #[error("{0}")]
    Session(#[from] SessionError),
    /// The machines of the session cannot be combined.
    #[error("the machines of the session cannot be combined: {0}")]
    Conflict(#[from] Conflict),
    /// The conversation cannot have a session.
    #[error("{0}")]
    Identity(#[from] InvalidIdentity),
    /// The process cannot start its work.
    #[error("the hook cannot start: {0}")]
    Start(String),
    /// The agent is unknown.
    #[error("unknown agent `{0}`; `plan-machine hook --help` lists the agents")]
    UnknownAgent(String),
    /// A session handle is not one of ours.
    #[error("the session handle is not valid; call the tool again without `plan_session`")]
    Handle,
    /// A person's request cannot be carried out.
    #[error("{0}")]
    Request(String),
}
