//! Scopes of an agent's memory: the code shared by all modules that `scopes!` generates.
//!
//! A scopes document defines which memory a run of an agent reads and writes. The generated module creates every
//! [`ScopeKey`] from a run or from a session's identity, so a key proves that its holder may use it. No function
//! creates a key from a string alone:
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
//! **For stores.** A key consists of a string and the session that it belongs to ([`ScopeKey::partition`]). Items must
//! be stored under both: the string of a task's key may contain only the task id, but two tasks with the same id in
//! different sessions share nothing. Equality and hashing of keys use both, so a map keyed by `ScopeKey` is correct.

mod error;
mod key;
mod pattern;
mod serial;
mod typed;

pub use error::ScopeError;
pub use key::{Partition, ScopeKey};
pub use typed::{Promotion, Scope, ScopeLevel, WriteScope};

/// Functions that generated modules call. They are not part of the public interface and may change in any version.
#[doc(hidden)]
pub mod __private {
    pub use super::key::{Partition, checked, partition};
    pub use super::pattern::{KeyPattern, Segment, parse};
    pub use super::serial::{is_kind, read_choice, read_text, read_texts, write_texts};
    pub use super::typed::{promotion, scope, write_scope};
    pub use serde;
}
