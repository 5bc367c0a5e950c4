//! The errors that prevent a server from starting.

use std::path::PathBuf;

use plan_machine::gate::Conflict;
use plan_machine_agents::keeper::GateError;
use thiserror::Error;

/// Why a server cannot start.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The gate of the project is closed.
    #[error("{0}")]
    Gate(#[from] GateError),
    /// A session document cannot be read.
    #[error("cannot read `{}`: {cause}", path.display())]
    Document {
        /// The document.
        path: PathBuf,
        /// The reason.
        cause: String,
    },
    /// The machines of a session document cannot be combined.
    #[error("the machines of the session cannot be combined: {0}")]
    Conflict(#[from] Conflict),
    /// No document was named.
    #[error("no session document; specify one with `--session FILE`")]
    NoDocument,
    /// The server cannot listen on the address.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// The address.
        address: String,
        /// The reason.
        cause: String,
    },
    /// The server would be reachable from other computers, but no name for it is known.
    #[error(
        "{0} can be reached from other computers; use `--host NAME` to specify the name by which they reach it"
    )]
    NoHost(String),
    /// A name by which others reach the server is not a host.
    #[error(
        "`{0}` is not a host; expected a name such as `inbox.example` or `https://inbox.example`"
    )]
    InvalidHost(String),
    /// The system cannot provide random numbers.
    #[error("the system cannot provide random numbers: {0}")]
    Random(#[from] getrandom::Error),
}
