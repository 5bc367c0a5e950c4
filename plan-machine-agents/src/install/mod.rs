//! Installs the gate in an agent's configuration, and removes it.
//!
//! The edits are pure functions of texts; they keep every key and comment that is not ours. [`plan`] and
//! [`plan_removal`] return what would change, and [`Plan::carry_out`] makes the changes.

mod calls;
mod change;
mod command;
mod edit;
mod error;
pub(crate) mod hooks;
mod jsonc;
mod places;
mod plan;
mod plugin;
mod record;
mod removal;
#[cfg(test)]
mod removal_tests;
mod servers;
mod shipped;
mod switches;
mod target;
#[cfg(test)]
pub(crate) mod tests;
mod user_hooks;
#[cfg(test)]
mod waiting_tests;

pub use change::FileChange;
pub use command::{event_command, is_ours, tool_command};
pub use error::{EditError, InstallError};
pub use places::{Scope, UserFolders};
pub use plan::{Plan, plan};
pub use record::{InstallRecord, InstalledFile};
pub use removal::plan_removal;
pub use shipped::{CALLS_FILE, SESSIONS, ShippedSession, session};
pub use target::InstallTarget;

pub(crate) use change::text_of;
pub(crate) use user_hooks::{InstalledHooks, twice};
