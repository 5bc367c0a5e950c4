//! Stores: the laws that all of them obey, and behavior that only a server with many hosts can show.

mod acknowledged;
mod approvals;
mod calls;
mod crashes;
mod earlier;
mod effects;
mod file;
mod growth;
mod hanging;
mod lawless;
mod laws;
mod left;
mod log;
mod pages;
mod removed;
mod rows;
mod salvage;
mod schema;
mod wakers;
mod watching;
mod world;
