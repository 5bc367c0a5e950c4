//! What waits for a person, kept in memory and kept up to date by the journal.

mod actions;
mod index;
mod order;
mod recent;

pub use actions::{Action, actions, decided, sender};
pub use index::{InboxPage, Index, RecentPage, WaitingPlan};
pub use recent::SessionSummary;
