//! Derives the facts about a checked machine that the emitters of Rust code need: its tables, which events can be
//! denied, and what typed moves return. With these facts, no emitter needs to know the semantics of the language.

pub(crate) mod bounds;
pub(crate) mod denial;
pub(crate) mod faults;
pub(crate) mod outcome;
pub(crate) mod path;
mod tables;

pub use tables::{
    EffectRow, EventRow, Sender, StateRow, Tables, TransitionRow, UnavailableRow, tables,
};
