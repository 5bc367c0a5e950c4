//! What a checked machine determines about the Rust to emit: tables, what can be denied, what typed
//! moves return. After this, no emitter needs to know the meaning of the language.

pub(crate) mod bounds;
pub(crate) mod denial;
pub(crate) mod faults;
pub(crate) mod outcome;
pub(crate) mod path;
mod tables;

pub use tables::{EffectRow, EventRow, Sender, StateRow, Tables, TransitionRow, tables};
