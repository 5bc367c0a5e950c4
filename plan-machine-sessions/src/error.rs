//! The errors that sessions return: why a session could not answer a request.

use std::error::Error;
use std::fmt;

use crate::identity::{InvalidIdentity, SessionIdentity};
use crate::journal::{ReadError, Sender};
use crate::store::{StoreError, StoreErrorKind};
use plan_machine::gate::{InvalidInput, UnknownCommand, UnknownName};
use plan_machine::machine::{Denial, RestoreError};

/// Why a session could not answer a request. The request itself has changed nothing, with two exceptions: the outcome
/// may be unknown, as [`StoreError`] describes, and a failed [restart](crate::Session::restart) may have discarded
/// pending effects, or may have been stored. Timers that were due may have fired nonetheless.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionError {
    /// The store failed. The session can be used again once the store is available.
    Store(StoreError),
    /// The stored session, or the stored answer to one of its calls, cannot be used. The stored data is left unchanged.
    Unreadable {
        /// The identity of the session.
        session: SessionIdentity,
        /// The reason.
        why: UnreadableReason,
    },
    /// The session does not exist, and a new session cannot have this identity.
    Identity(InvalidIdentity),
    /// The typed line is not a command.
    NoCommand(UnknownCommand),
    /// The session has no such plan.
    NoPlan {
        /// The name of the machine.
        machine: String,
        /// The id of the plan.
        plan: String,
    },
    /// The plan is not damaged: its machine can use it, so only an event of its machine can end it.
    NotDamaged {
        /// The name of the machine.
        machine: String,
        /// The id of the plan.
        plan: String,
    },
    /// Plans that the host itself has stored do not match the session's journal.
    OtherPlans {
        /// The name of the machine.
        machine: String,
        /// The first difference.
        problem: String,
    },
    /// The call id has already been used for a different call. The new call was not carried out.
    OtherCall {
        /// The kind of sender that the call id belongs to.
        sender: Sender,
        /// The call id.
        call_id: String,
        /// The earlier call.
        before: String,
        /// The current call.
        now: String,
    },
    /// A call that was allowed earlier may no longer run, or may not run in this session.
    NotConfirmed(Denial),
    /// This session is not the one that allowed the call.
    ForeignCall,
    /// The session can be read, so it cannot be restarted.
    Readable,
    /// The host sent a value that exceeds a limit.
    Input(InvalidInput),
    /// The result of an event is too large or too deeply nested to be read back, so it was not stored.
    Unstorable(String),
    /// The host sent the name of a machine that the session does not have, or of an event that the machine does not
    /// have.
    Unknown(UnknownName),
    /// A plan does not match the Rust types that the caller requested, because the session runs a different version of
    /// the plan's machine.
    Unfit {
        /// The name of the machine.
        machine: String,
        /// The mismatch.
        damaged: RestoreError,
    },
    /// The session gave up after too many attempts, because other writers committed first each time.
    Contended,
}

/// Why a stored session cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub enum UnreadableReason {
    /// An entry or a snapshot was altered.
    Altered {
        /// The number of the entry.
        seq: u64,
        /// The problem with the entry or its snapshot.
        problem: String,
    },
    /// The stored answer to a call was altered. The session itself can be read, and its other calls are not affected.
    AlteredAnswer {
        /// The id of the call.
        call_id: String,
        /// The problem with the answer.
        problem: String,
    },
    /// An entry is missing, although later entries exist or the store has a record of the missing one.
    Missing {
        /// The number of the entry.
        seq: u64,
    },
    /// The store no longer contains the last entry that this process has acknowledged: the entries end before it, or a
    /// different entry has its number.
    Behind {
        /// The number of the last entry that was acknowledged.
        acknowledged: u64,
        /// The number of the last entry that is stored.
        found: u64,
    },
    /// The session contains plans of a machine that this program does not have.
    UnknownMachine(String),
    /// The session was written by a newer version of a machine than the one in this program.
    Newer {
        /// The name of the machine.
        machine: String,
        /// The version of the machine that wrote the session.
        stored: u64,
        /// The version of the machine in this program.
        known: u64,
    },
    /// An entry was written by a newer version of plan-machine.
    NewerFormat {
        /// The number of the entry.
        seq: u64,
        /// The format that the entry is written in.
        found: u64,
    },
    /// The snapshot was written by a newer version of plan-machine.
    NewerSnapshot {
        /// The number of the entry that the snapshot was made after.
        seq: u64,
        /// The format that the snapshot is written in.
        found: u64,
    },
    /// The stored answer to a call was written by a newer version of plan-machine. The session itself can be read, and
    /// its other calls are not affected.
    NewerAnswer {
        /// The id of the call.
        call_id: String,
        /// The format that the answer is written in.
        found: u64,
    },
    /// A part of the session's history cannot be read, such as an entry before the last snapshot. The plans of the
    /// session can be read, so the session need not be restarted.
    HistoryOnly(Box<UnreadableReason>),
}

impl fmt::Display for UnreadableReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Altered { seq, problem } => write!(f, "entry {seq} is damaged: {problem}"),
            Self::AlteredAnswer { call_id, problem } => {
                let id = shown(call_id);
                write!(
                    f,
                    "the stored answer to the call `{id}` is damaged: {problem}"
                )
            }
            Self::Missing { seq } => write!(f, "entry {seq} is missing"),
            Self::Behind {
                acknowledged,
                found,
            } => write!(
                f,
                "entries that were acknowledged are missing: this process has acknowledged entry {acknowledged}, but \
                 the store has a different history, which ends at entry {found}. Another process may have deleted the \
                 session, or the store may have been replaced with an older copy. Restart this process to continue \
                 with the stored entries"
            ),
            Self::UnknownMachine(name) => {
                write!(
                    f,
                    "the session contains plans of the machine {name}, which this program does not have: add the \
                     machine again or, in a Rust program, keep its plans with `Gate::builder().parks(\"{name}\")`"
                )
            }
            Self::Newer {
                machine,
                stored,
                known,
            } => write!(
                f,
                "the session was written by version {stored} of the machine {machine}, \
                 but this program has version {known}"
            ),
            Self::NewerFormat { seq, found } => {
                write!(f, "entry {seq} was {}", ReadError::Newer { found: *found })
            }
            Self::NewerSnapshot { seq, found } => {
                let newer = ReadError::Newer { found: *found };
                write!(f, "the snapshot after entry {seq} was {newer}")
            }
            Self::NewerAnswer { call_id, found } => {
                let (id, newer) = (shown(call_id), ReadError::Newer { found: *found });
                write!(f, "the stored answer to the call `{id}` was {newer}")
            }
            Self::HistoryOnly(why) => write!(f, "{why}"),
        }
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Store(error) => write!(f, "{error}"),
            // Only the call is affected, so a restart of the session would be refused.
            Self::Unreadable {
                session,
                why:
                    why @ (UnreadableReason::AlteredAnswer { .. } | UnreadableReason::NewerAnswer { .. }),
            } => write!(
                f,
                "the session {session} cannot repeat an answer: {why}. The call was not carried out again; to carry it out again, send it with another call id"
            ),
            Self::Unreadable {
                session,
                why: UnreadableReason::HistoryOnly(why),
            } => write!(
                f,
                "an entry in the history of the session {session} cannot be read, but the plans of the session can: {why}"
            ),
            Self::Unreadable { session, why } => {
                write!(f, "the session {session} cannot be used: {why}")?;
                match why {
                    UnreadableReason::Altered { .. } | UnreadableReason::Missing { .. } => write!(
                        f,
                        ". To start over and keep the entries of the session, use `plan-machine log --store STORE restart {session} --why TEXT`, or `Session::restart` in the host"
                    ),
                    // Another program may be able to use the session, so restarting it is not suggested.
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
                "the plan `{plan}` is not damaged: end it with a command of {machine}"
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
                    write!(f, "`{before}`, so it cannot be used for `{now}`")?;
                }
                f.write_str("; give each call its own id")
            }
            Self::NotConfirmed(denial) => write!(f, "{denial}"),
            Self::ForeignCall => f.write_str(
                "this session did not allow the call; confirm it in the session that did",
            ),
            Self::Readable => f.write_str(
                "the session can be read, so it cannot be restarted: end each plan with a command of its machine, \
                 and end damaged plans one by one",
            ),
            Self::Input(error) => write!(f, "{error}"),
            Self::Unstorable(problem) => write!(f, "nothing was stored: {problem}"),
            Self::Unknown(error) => write!(f, "{error}"),
            Self::Unfit { machine, damaged } => {
                write!(
                    f,
                    "a plan of {machine} does not match the Rust types of this program: {damaged}"
                )
            }
            Self::Contended => f.write_str("other writers keep changing the session; try again"),
        }
    }
}

/// Returns the beginning of a string that came from outside, with special characters escaped.
fn shown(text: &str) -> String {
    const MOST: usize = 80;
    let short: String = text.chars().take(MOST).collect();
    match text.chars().nth(MOST) {
        Some(_) => format!("{}…", short.escape_debug()),
        None => short.escape_debug().to_string(),
    }
}

impl SessionError {
    /// Returns whether the error means that stored data is damaged, or that this program cannot use the session. After
    /// such an error, other sessions of the store may still work.
    #[must_use]
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Unreadable { .. } => true,
            Self::Store(error) => error.kind == StoreErrorKind::Damaged,
            _ => false,
        }
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
