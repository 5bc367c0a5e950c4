//! The journal of a session: one entry per accepted event, with everything that a replay needs.
//!
//! An [`Entry`] contains its inputs (time, ids, context, actor) and the results, including the plans as they were
//! afterwards: in full or, if a plan is long, as changes. A replay therefore produces the same bytes, and opening a
//! session needs no replay: it reads the last [`Snapshot`] and the plans in the entries after it. The entries form a
//! [`Chain`], which breaks if an entry was altered, lost, or moved to another session.

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
