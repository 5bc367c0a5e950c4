//! Why a session could not answer.

use std::error::Error;
use std::fmt;

use super::identity::{InvalidIdentity, SessionIdentity};
use crate::gate::{NoCommand, UnknownName};
use crate::machine::Damaged;
use crate::store::StoreError;

/// A session could not answer. Nothing has changed.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionError {
    /// The store could not do its part. The session goes on when the store does.
    Store(StoreError),
    /// What is stored of the session cannot be used. It is left as it is.
    Unreadable {
        /// The session.
        session: SessionIdentity,
        /// Why.
        why: Unreadable,
    },
    /// No session may begin under this identity.
    Identity(InvalidIdentity),
    /// What was typed is no command.
    NoCommand(NoCommand),
    /// A name that the host has sent and that the session does not have.
    Unknown(UnknownName),
    /// Others were faster too often.
    Contended,
}

/// Why a stored session cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum Unreadable {
    /// An entry or a snapshot is not as it was written.
    Altered {
        /// Its number.
        seq: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// It holds plans of a machine that this program does not have.
    UnknownMachine(String),
    /// It was written by a newer version of a machine.
    Newer {
        /// The machine.
        machine: String,
        /// The version that wrote it.
        stored: u64,
        /// The version that this program has.
        known: u64,
    },
    /// A plan does not fit its machine.
    Plan {
        /// The machine.
        machine: String,
        /// The plan, and why.
        damaged: Damaged,
    },
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Altered { seq, problem } => write!(f, "entry {seq} is damaged: {problem}"),
            Self::UnknownMachine(name) => {
                write!(f, "it holds plans of the machine {name}, which is not here")
            }
            Self::Newer {
                machine,
                stored,
                known,
            } => write!(
                f,
                "it was written by version {stored} of the machine {machine}, and this is version {known}"
            ),
            Self::Plan { machine, damaged } => write!(f, "{damaged} (machine {machine})"),
        }
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(f, "{error}"),
            Self::Unreadable { session, why } => {
                write!(f, "the session {session} cannot be used: {why}")
            }
            Self::Identity(error) => write!(f, "{error}"),
            Self::NoCommand(error) => write!(f, "{error}"),
            Self::Unknown(error) => write!(f, "{error}"),
            Self::Contended => f.write_str("others write to the session all the time; try again"),
        }
    }
}

impl Error for SessionError {}

impl From<StoreError> for SessionError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<UnknownName> for SessionError {
    fn from(error: UnknownName) -> Self {
        Self::Unknown(error)
    }
}
