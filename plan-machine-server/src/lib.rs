//! The inbox of plan-machine: one page with everything that waits for a person, live events, and an HTTP interface for
//! programs.
//!
//! A server reads the store that hooks, bots and hosts share, so it needs no agent to be running. It serves either a
//! gated project or the sessions of a store:
//!
//! ```no_run
//! use std::path::Path;
//!
//! use plan_machine_server::project::{Desk, ServedProject, SessionDocuments};
//! use plan_machine_server::{Server, ServerOptions};
//! use plan_machine_sessions::store;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let documents = SessionDocuments::read(Path::new("coding.yaml"))?;
//! let store = store::open("sqlite:plans.db").await?;
//! let project = ServedProject::of_store("shop", store, vec![(None, documents)])?;
//! let server = Server::bind(Desk::fixed(project), ServerOptions::local("ann")?)?;
//! println!("{}", server.link()?); // works once
//! server.run().await;
//! # Ok(())
//! # }
//! ```
//!
//! `http.md` of this crate describes the interface with examples, and `docs/server.md` explains how to use it.
//!
//! | for | see |
//! |---|---|
//! | starting and stopping a server | [`Server`], [`ServerOptions`], [`Limits`] |
//! | what is served | [`project`] |
//! | who may do what | [`auth`] |
//! | errors as clients read them | [`problem`] |
//! | the memory of a host | [`memory`] |
//! | chats with a host | [`chat`] |
//! | calls of a host's model that were denied | [`denials`] |

mod api;
mod app;
pub mod auth;
pub mod chat;
mod content;
pub mod denials;
mod http;
mod inbox;
mod live;
pub mod memory;
mod metrics;
pub mod problem;
pub mod project;
mod server;
mod views;

pub use app::{Limits, ShowLink};
pub use http::{Bucket, ConnectionLimits};
pub use server::{Server, ServerOptions, ServerStop};
