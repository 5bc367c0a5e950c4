//! What a checked machine determines about the Rust code to emit: its tables, which events can be
//! denied, and what typed moves return. Beyond this, no emitter needs to know the meaning of the
//! language.

pub(crate) mod bounds;
pub(crate) mod denial;
pub(crate) mod faults;
pub(crate) mod outcome;
pub(crate) mod path;
mod tables;

pub use tables::{EffectRow, EventRow, Sender, StateRow, Tables, TransitionRow, tables};
