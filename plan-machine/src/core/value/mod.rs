//! Values of a spec's types: how they are read from JSON, written as JSON, bounded and digested.
//!
//! Generated enums and records implement [`Value`] like the types in this module, so reading a payload, storing a
//! record and computing a digest all walk the same tree.

mod at;
mod bounds;
mod builtin;
mod fields;
mod problems;
#[cfg(feature = "serde")]
mod through;
mod typed;

pub use at::ValuePath;
pub use bounds::Bounds;
pub use fields::{known, object, optional, or_else, required};
pub(crate) use problems::FoundProblems;
pub use problems::{BoundViolation, Problems, Unit};
#[cfg(feature = "serde")]
pub use through::{deserialize, serialize};
pub use typed::Value;
