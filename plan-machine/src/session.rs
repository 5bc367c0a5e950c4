//! Sessions: each keeps its plans to itself, one writer at a time, and answers only after what it
//! answers is stored.
//!
//! ```
//! use std::sync::Arc;
//!
//! use plan_machine::gate::{Gate, Surroundings};
//! use plan_machine::session::{SessionIdentity, Sessions};
//! use plan_machine::store::Memory;
//!
//! plan_machine::machine! {
//!     machine Note;
//!     command begin = "/note";
//!     command end = "/done";
//!     state none { on begin => OPEN; }
//!     state OPEN { on end => CLOSED next none; }
//!     final state CLOSED;
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let machines = Gate::new().with(note::Machine).join()?;
//! let sessions = Sessions::new(Arc::new(Memory::new()), machines);
//! let session = sessions.session(&SessionIdentity::new("terminal", "my-first-notes")?);
//!
//! let done = session.command("/note", &Surroundings::now().by("ann")).await?;
//! assert_eq!(done.seq, 1); // the first entry of its journal
//! assert_eq!(session.plans().await?[0].plan.state, "OPEN");
//! # Ok(())
//! # }
//! ```
//!
//! A session is opened when it is first used, and leaves memory when it has not been used for a
//! while; neither is to be noticed. Where several processes share a store, each of them may use any
//! session: whoever is second decides anew, about what the first has left.

mod abandon;
mod answer;
mod bound;
mod check;
mod commit;
mod confirm;
mod decide;
mod effect;
mod error;
mod identity;
pub(crate) mod load;
mod look;
mod repeat;
mod restart;
mod room;
mod send;
mod sessions;
mod transact;
mod turn;

pub use answer::Done;
pub use effect::{Effect, EffectId};
pub use error::{SessionError, Unreadable};
pub use identity::{InvalidIdentity, SessionIdentity};
pub use look::Held;
pub use sessions::{Session, Sessions};
pub use turn::{Sent, Turn};
