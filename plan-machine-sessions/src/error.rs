//! Why a session could not answer.

use std::error::Error;
use std::fmt;

use crate::identity::{InvalidIdentity, SessionIdentity};
use crate::journal::{ReadError, Sender};
use crate::store::StoreError;
use plan_machine::gate::{InvalidInput, UnknownCommand, UnknownName};
use plan_machine::machine::{Denial, RestoreError};

/// Why a session could not answer. Nothing has changed.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionError {
    /// The store failed. The session continues once the store is available again.
    Store(StoreError),
    /// The stored session cannot be used. It is left as it is.
    Unreadable {
        /// The session.
        session: SessionIdentity,
        /// The cause.
        why: UnreadableReason,
    },
    /// A new session cannot have this identity.
    Identity(InvalidIdentity),
    /// The typed line is not a command.
    NoCommand(UnknownCommand),
    /// The session has no such plan.
    NoPlan {
        /// The machine.
        machine: String,
        /// The plan.
        plan: String,
    },
    /// The plan can be used by its machine, so it cannot be ended from outside.
    NotDamaged {
        /// The machine.
        machine: String,
        /// The plan.
        plan: String,
    },
    /// Plans kept by the host do not match the session's journal.
    OtherPlans {
        /// The machine.
        machine: String,
        /// The first difference.
        problem: String,
    },
    /// A call id has already been used for another call. Nothing was done.
    OtherCall {
        /// The sender that the id belongs to.
        sender: Sender,
        /// The id.
        call_id: String,
        /// The earlier call.
        before: String,
        /// The current call.
        now: String,
    },
    /// An allowed call may no longer run, or may not run in this session.
    NotConfirmed(Denial),
    /// The call was not allowed by this session.
    ForeignCall,
    /// The session can be read, so it cannot be restarted.
    Readable,
    /// The host sent something that exceeds a limit.
    Input(InvalidInput),
    /// The result of an event could not be read back, so it was not stored.
    Unstorable(String),
    /// The host sent a name that the session does not know.
    Unknown(UnknownName),
    /// A plan does not match the requested types: the session runs a different version of its machine.
    Unfit {
        /// The machine.
        machine: String,
        /// The mismatch.
        damaged: RestoreError,
    },
    /// Other writers committed first too many times.
    Contended,
}

/// Why a stored session cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum UnreadableReason {
    /// An entry or a snapshot was altered.
    Altered {
        /// Its number.
        seq: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// An entry is missing, although later entries exist or the store has a record of it.
    Missing {
        /// Its number.
        seq: u64,
    },
    /// It contains plans of a machine that this program does not have.
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
    /// An entry or a snapshot was written by a newer version of plan-machine.
    NewerFormat {
        /// Its number.
        seq: u64,
        /// The format that it is written in.
        found: u64,
    },
}

impl fmt::Display for UnreadableReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Altered { seq, problem } => write!(f, "entry {seq} is damaged: {problem}"),
            Self::Missing { seq } => write!(f, "entry {seq} is missing"),
            Self::UnknownMachine(name) => {
                write!(
                    f,
                    "it contains plans of the machine {name}, which this program does not have"
                )
            }
            Self::Newer {
                machine,
                stored,
                known,
            } => write!(
                f,
                "it was written by version {stored} of the machine {machine}, but this is version {known}"
            ),
            Self::NewerFormat { seq, found } => {
                write!(f, "entry {seq} was {}", ReadError::Newer { found: *found })
            }
        }
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(f, "{error}"),
            Self::Unreadable { session, why } => {
                write!(f, "the session {session} cannot be used: {why}")?;
                match why {
                    UnreadableReason::Altered { .. } | UnreadableReason::Missing { .. } => write!(
                        f,
                        ". To start over and keep its entries, use `plan-machine log --store STORE restart {session} --why TEXT`, or `Session::restart` in the host"
                    ),
                    // Another program may be able to use it.
                    _ => Ok(()),
                }
            }
            Self::Identity(error) => write!(f, "{error}"),
            Self::NoCommand(error) => write!(f, "{error}"),
            Self::NoPlan { machine, plan } => {
                write!(f, "the session has no plan `{plan}` of {machine}")
            }
            Self::NotDamaged { machine, plan } => write!(
                f,
                "the plan {plan} is not damaged: end it with a command of {machine}"
            ),
            Self::OtherPlans { machine, problem } => write!(
                f,
                "the plans of {machine} do not match the journal: {problem}"
            ),
            Self::OtherCall {
                sender,
                call_id,
                before,
                now,
            } => {
                let (id, before, now) = (shown(call_id), shown(before), shown(now));
                write!(f, "the call id `{id}` of the {sender} was already used for ")?;
                if before == now {
                    write!(f, "`{before}` with different arguments")?;
                } else {
                    write!(f, "`{before}`, but this is `{now}`")?;
                }
                f.write_str("; send each call with its own id")
            }
            Self::NotConfirmed(denial) => write!(f, "{denial}"),
            Self::ForeignCall => f.write_str(
                "this session did not allow the call; confirm it in the session that did",
            ),
            Self::Readable => f.write_str(
                "the session can be read: end its plans with their own commands, and damaged plans one by one",
            ),
            Self::Input(error) => write!(f, "{error}"),
            Self::Unstorable(problem) => write!(f, "nothing was stored: {problem}"),
            Self::Unknown(error) => write!(f, "{error}"),
            Self::Unfit { machine, damaged } => {
                write!(
                    f,
                    "a plan of {machine} does not match the types of this program: {damaged}"
                )
            }
            Self::Contended => f.write_str("other writers keep changing the session; try again"),
        }
    }
}

/// Returns the beginning of a text from outside, escaped.
fn shown(text: &str) -> String {
    const MOST: usize = 80;
    let short: String = text.chars().take(MOST).collect();
    match text.chars().nth(MOST) {
        Some(_) => format!("{}…", short.escape_debug()),
        None => short.escape_debug().to_string(),
    }
}

impl Error for SessionError {}

impl From<StoreError> for SessionError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<InvalidInput> for SessionError {
    fn from(error: InvalidInput) -> Self {
        Self::Input(error)
    }
}

impl From<UnknownName> for SessionError {
    fn from(error: UnknownName) -> Self {
        Self::Unknown(error)
    }
}
