//! An example bot: it talks, plans, asks for approval, executes and remembers.
//!
//! Everything about plans is in the specs of `plan-specs`; the bot is the host around them. A message
//! goes one way:
//!
//! ```text
//! terminal ─ chat ─ bot ─ turn ─ context ─ model
//!                          │        └─ decisions of the session's gate ─ tools of the host
//!                          └─ outgoing: text, plan card, session
//! ```

pub mod memory;
pub mod model;
pub mod planning;
pub mod tools;
