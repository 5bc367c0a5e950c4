//! Scopes of memory: what the modules that `scopes!` makes have in common.
//!
//! A scopes document says which memory a run of an agent reads and writes. Its module makes every
//! [`ScopeKey`] from a run or from a session's identity, so a key is the proof that its holder may
//! use it. Nothing here makes one from a text:
//!
//! ```compile_fail,E0451
//! use plan_machine::scope::ScopeKey;
//!
//! let key = ScopeKey { level: "global", text: "global".into(), partition: None };
//! ```
//!
//! ```compile_fail,E0277
//! use plan_machine::scope::ScopeKey;
//!
//! let key: ScopeKey = "session:web:4711".into();
//! ```
//!
//! **For stores.** A key is two things: its text, and the session that it belongs to
//! ([`ScopeKey::partition`]). Items are kept under both: the text of a task's key may hold the task
//! alone, and the same task id in two sessions shares nothing. Equality and hashes of keys look at
//! both, so a map with keys for keys is right by itself.

mod error;
mod key;
mod pattern;
mod serial;
mod typed;

pub use error::ScopeError;
pub use key::{Partition, ScopeKey};
pub use typed::{Promotion, Scope, ScopeLevel, WriteScope};

/// What generated modules call. No part of the interface: it may change with every version.
#[doc(hidden)]
pub mod __private {
    pub use super::key::{Partition, checked, partition};
    pub use super::pattern::{KeyPattern, Segment, parse};
    pub use super::serial::{is_kind, read_choice, read_text, read_texts, write_texts};
    pub use super::typed::{promotion, scope, write_scope};
    pub use serde;
}
