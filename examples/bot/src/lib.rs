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

pub mod auto;
mod beside;
pub mod bot;
pub mod chats;
pub mod commands;
pub mod context;
pub mod demo;
mod diagram;
mod disk;
pub mod effects;
pub mod history;
pub mod memory;
pub mod mode;
pub mod model;
pub mod outgoing;
pub mod planning;
pub mod terminal;
pub mod tools;
pub mod turn;

pub use bot::Bot;
