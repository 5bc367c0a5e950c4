//! The host itself: conversations in any number of chats, each with the machines of its mode.
//!
//! A line goes through these steps:
//!
//! ```text
//! chat ─ line ─┬─ commands ───────────┬─ session ─ effects ─┬─ cards, words ─ outgoing
//!              └─ turn ─ model        │                     └─ handlers of the machines ─ tools
//!                   └─ decisions ─────┘
//! ```
//!
//! [`parts`] defines hosts, conversations and handlers; each step has its own file.

mod body;
mod builder;
mod card;
mod changes;
mod commands;

mod damaged;
mod delivery;
mod denials;
mod desk;
mod diagram;
mod effects;
mod ended;
#[cfg(feature = "terminal")]
mod first_answer;
mod line;
mod meanwhile;
mod mode;
mod parked;
mod parts;
mod request;

mod session_mode;
mod signal;
mod start;
mod turn;
mod work;

pub use body::one_line;
pub use builder::HostBuilder;
pub(crate) use card::is_said;
pub use changes::Changes;
pub(crate) use commands::{OWN, answered, id_like, listed, notation};
pub use delivery::{cards_last, effects_of, is_foreign};
pub use denials::{DenialListener, DenialReport};
pub use diagram::Diagram;
#[cfg(feature = "terminal")]
pub(crate) use first_answer::FirstAnswer;
#[cfg(test)]
pub(crate) use mode::tests::modes_of_shipped_specs;
pub use parts::{Attendant, Brief, ContentFuture, Conversation, Handler, Host, Mode, Modes};
pub use signal::SignalAnswer;
pub(crate) use signal::why;
pub use turn::Work;
pub use work::WorkEntry;
