//! The journal of a session: an entry for each event that was taken, with everything that it needs
//! to be taken again.
//!
//! An [`Entry`] holds its inputs (time, ids, context, actor) and the results, plans included, as they were afterwards:
//! as a whole, or, where a plan is long, as what has changed in it. So a replay gives the same bytes, and a session is
//! opened without one: from the last [`Snapshot`] and the plans in the entries after it. The entries are a [`Chain`]:
//! one that was altered, lost, or put into another session does not fit.

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
mod written;

pub use answered::{AnswerRecord, CallDigest, MachineAnswer, Sender, SentCall};
pub use audit::AuditLine;
pub use chain::{Chain, Digest};
pub(crate) use compare::{Kind, Led};
pub(crate) use entry::RESTART;
pub use entry::{Entry, EntryKind};
pub use format::{Format, ReadError};
pub use past::PlanImages;
pub(crate) use snapshot::Images;
pub use snapshot::{ChangeBase, MachineSnapshot, Snapshot};
pub(crate) use text::{ENTRY_DEPTH, depth};
pub use text::{MAX_DEPTH, json};
