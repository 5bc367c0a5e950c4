//! Stored sessions of `plan-machine`: each owns its plans, has one writer at a time, and answers only after the
//! result is stored.
//!
//! ```
//! use std::sync::Arc;
//!
//! use plan_machine::gate::{Gate, EventContext};
//! use plan_machine_sessions::{SessionIdentity, Sessions};
//! use plan_machine_sessions::store::Memory;
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
//! let machines = Gate::builder().with(note::Machine).join()?;
//! let sessions = Sessions::new(Arc::new(Memory::new()), machines);
//! let session = sessions.session(&SessionIdentity::new("terminal", "my-first-notes")?);
//!
//! let done = session.command("/note", &EventContext::now().by("ann")).await?;
//! assert_eq!(done.seq, 1); // the first entry of its journal
//! assert_eq!(session.plans().await?[0].plan.state, "OPEN");
//! # Ok(())
//! # }
//! ```
//!
//! A session is opened on first use and dropped from memory after it has been idle for a while; neither is visible from
//! outside. If several processes share a store, each may use any session: the writer that comes second decides again,
//! based on what the first one stored.
//!
//! # What there is
//!
//! | for | see |
//! |---|---|
//! | sessions | [`Sessions`], [`Session`], [`SessionIdentity`] |
//! | what they store | [`journal`]: entries, snapshots, the chain that ties them together |
//! | where they store it | [`store`]: in memory, with the feature `sqlite` in a file, with `postgres` for many hosts |
//! | a store of your own | [`conformance`]: the laws that every store must obey |
//! | following events | [`watch`], and [`observe`] for logs and metrics |

pub mod conformance;
mod error;
mod identity;
pub mod journal;
pub mod observe;
mod read;
mod session;
pub mod store;
pub mod watch;

pub use error::{SessionError, UnreadableReason};
pub use identity::{InvalidIdentity, SessionIdentity};
pub use read::{ReplayDifference, ReplayVerdict, Verifier};
pub use session::{
    Committed, EffectId, EventOutcome, Session, SessionEffect, SessionPlan, Sessions, Turn,
};
