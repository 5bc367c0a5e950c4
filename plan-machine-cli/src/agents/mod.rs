//! The commands for agents and for the people who use them.

pub(crate) mod approve;
pub(crate) mod command;
mod decide;
pub(crate) mod doctor;
pub(crate) mod hook;
pub(crate) mod init;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
mod person;
pub(crate) mod reject;
#[cfg(feature = "server")]
pub(crate) mod serve;
mod shared_store;
mod site;
pub(crate) mod status;
mod text_diff;
pub(crate) mod trust;

pub(crate) use site::{refuse_agents_to_change, store_here};
