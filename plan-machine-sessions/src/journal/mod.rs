//! The journal of a session: one entry for each accepted event, with everything that is needed to replay the event, and
//! one entry for each action of a person in which no machine took part.
//!
//! An [`Entry`] contains the inputs of the event (time, ids, context and actor), so that a replay produces exactly the
//! same bytes, and its results, including the plans as they were after the event. A plan is written in full or, if it
//! is long, as changes. Opening a session does not replay anything: it reads the last [`Snapshot`], and the plans in
//! the entries after it. The entries form a hash [`Chain`], which shows whether an entry was altered, was moved to
//! another session, or is missing before a later entry.

mod answered;
mod audit;
mod chain;
mod change;
mod compare;
mod entry;
mod fields;
mod format;
mod onto;
mod outcome;
mod past;
mod same;
mod snapshot;
mod template;
mod text;
mod turn;
mod written;

pub use answered::{AnswerRecord, CallDigest, MachineAnswer, Sender, SentCall};
pub use audit::AuditLine;
pub use chain::{BrokenChain, Chain, Digest};
pub(crate) use compare::{JournalPlans, Kind};
pub use entry::{Entry, EntryKind};
pub(crate) use entry::{RESTART, TURN, without_machine};
pub use format::{Format, ReadError};
pub use past::PlanImages;
pub(crate) use snapshot::Images;
pub use snapshot::{ChangeBase, MachineSnapshot, Snapshot};
pub(crate) use text::{ENTRY_DEPTH, depth};
pub use text::{MAX_DEPTH, json};
