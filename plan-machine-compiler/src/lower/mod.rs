//! What a checked machine says of the Rust to emit: tables, what can be refused, what typed moves
//! give back. Afterwards no emitter asks the language what something means.

pub(crate) mod faults;
pub(crate) mod outcome;
pub(crate) mod path;
pub(crate) mod refusal;
mod tables;

pub use tables::{EffectRow, EventRow, Sender, StateRow, Tables, TransitionRow, tables};
