//! What a checked machine says of the Rust to emit: tables, what can be denied, what typed moves
//! give back. Afterwards no emitter asks the language what something means.

pub(crate) mod bounds;
pub(crate) mod denial;
pub(crate) mod faults;
pub(crate) mod outcome;
pub(crate) mod path;
mod tables;

pub use tables::{EffectRow, EventRow, Sender, StateRow, Tables, TransitionRow, tables};
