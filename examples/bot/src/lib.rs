//! An example bot: it talks, plans, asks for approval, executes and remembers.
//!
//! Everything about plans is in the specs of `plan-specs`; the bot is the host around them. A message
//! goes one way:
//!
//! ```text
//! transport ─ chats ─ bot ─┬─ commands ─────────┬─ session ─ effects ─┬─ cards, messages ─ outgoing
//!                          └─ turn ─ model      │                     ├─ steps of plans ─ tools
//!                               └─ decisions ───┘                     └─ runs, planning files
//! ```
//!
//! To read it in one sitting: [`mode`] says which machines a conversation has, [`bot`] takes a line, [`turn`] asks
//! the model and lets the gate decide about what it calls, [`commands`] is for what a person types, [`effects`] does
//! what the plans ask for, `planner` is who a person talks to where plans are built, and [`auto`] lets runs work. The
//! rest are rooms of their own: [`model`], [`tools`], [`memory`], [`planning`], [`chats`], [`history`], [`terminal`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use plan_bot::bot::{Bot, Parts};
//! use plan_bot::chats::{Keys, Transport};
//! use plan_bot::model::script::Script;
//! use plan_bot::outgoing::Said;
//! use plan_bot::tools::{HostTools, ShellRule};
//! use plan_machine_sessions::store::Memory;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let folder = tempfile::tempdir()?;
//! let bot = Bot::new(Parts {
//!     store: Arc::new(Memory::new()),
//!     model: Arc::new(Script::read("example", r#"
//! - user: Plan it.
//!   model:
//!     - calls: [{ plan_set_content: { plan_markdown: "1. Look.\n2. Leap." } }]
//!     - text: It waits for you.
//! "#)?),
//!     tools: HostTools::open(&folder.path().join("workspace"), ShellRule::Never)?,
//!     data: folder.path().join("data"),
//!     keys: Keys::Random,
//! })?;
//! let chat = Transport { channel: "example".to_owned(), chat: "1".to_owned() };
//! bot.handle(&chat, "/plan on").await;
//! let said = bot.handle(&chat, "Plan it.").await;
//! assert_eq!(said[0].said, Said::Model("It waits for you.".to_owned()));
//! assert!(matches!(&said[1].said, Said::Card(card) if card.state == "READY"));
//! # Ok(()) }) }
//! ```

#![allow(
    clippy::self_named_module_files,
    reason = "the files of its folders have their names"
)]

pub mod auto;
pub mod auto_files;
mod beside;
pub mod bot;
pub mod chats;
pub mod commands;
pub mod context;
mod control;
mod damaged;
pub mod data;
mod delivery;
pub mod demo;
mod diagram;
pub mod disk;
pub mod effects;
mod finish;
pub mod folders;
pub mod history;
pub mod memory;
pub mod mode;
pub mod model;
pub mod outgoing;
mod planner;
pub mod planning;
pub mod record;
pub mod secrets;
mod signal;
pub mod stop;
pub mod terminal;
pub mod tools;
pub mod turn;

pub use bot::Bot;
