//! The plans that wait for a person, kept in memory and updated from the journal.

mod actions;
mod index;
mod order;
mod recent;

pub(crate) use actions::{Action, actions, decided, name_of, sender};
pub(crate) use index::{InboxPage, Index, RecentPage, WaitingPlan};
pub(crate) use recent::SessionSummary;
