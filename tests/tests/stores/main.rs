//! Stores: the laws of all of them, and what only a server of many hosts can show.

mod acknowledged;
mod approvals;
mod calls;
mod crashes;
mod earlier;
mod effects;
mod file;
mod lawless;
mod laws;
mod pages;
mod removed;
mod schema;
mod watching;
mod world;
