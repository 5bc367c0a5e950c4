//! The rules for machines that share a session: which decision wins, which machine a command is for, and which
//! declarations are in conflict.
//!
//! The gate of a running session and the compiler of session documents call the same functions. The
//! compiler's proofs about a session are therefore about the gate itself, not about a model of it.

mod commands;
mod conflicts;
mod look_alike;
mod prefix;
mod rule;

pub use commands::{OfferedCommand, takers};
pub use conflicts::{Declarations, MachineConflict, conflicts};
pub use look_alike::looks_like_another;
pub use prefix::{CommandPrefix, PrefixError};
pub use rule::{Disposition, Dispositions, SessionRule, StatesOfPlan, too_early};
