//! The requests, one file for each group of paths.

mod chats;
mod decision;
mod fields;
mod guard;
mod health;
mod lists;
mod memories;
mod openapi;
mod page;
mod person;
mod plans;
mod program;
mod proofs;
mod roles;
mod routes;
mod sender;
mod sessions;
mod shown;
mod streams;

pub(crate) use routes::routes;
