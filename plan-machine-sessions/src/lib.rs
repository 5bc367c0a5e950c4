//! Persistent sessions for `plan-machine`: each session owns its plans, has one writer at a time, and answers a request
//! only after the result has been stored.
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
//! assert_eq!(done.seq, 1); // the first entry of the session's journal
//! assert_eq!(session.plans().await?[0].plan.state, "OPEN");
//! # Ok(())
//! # }
//! ```
//!
//! A session is opened on first use and dropped from memory after it has been idle for a while; callers notice neither.
//! If several processes share a store, each of them may use any session. When two processes write to a session at the
//! same time, the one that loses the race decides again, based on what the other one stored.
//!
//! # Overview
//!
//! | topic | see |
//! |---|---|
//! | sessions | [`Sessions`], [`Session`], [`SessionIdentity`] |
//! | what a session stores | [`journal`]: entries, snapshots, and the hash chain that links the entries |
//! | where it is stored | [`store`]: in memory, in a file (feature `sqlite`), or in PostgreSQL (feature `postgres`) |
//! | writing your own store | [`conformance`]: the laws that every store must obey |
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
    Committed, EffectId, EventOutcome, ParkedPlan, Session, SessionEffect, SessionPlan, Sessions,
    Transaction, WakeReport,
};
