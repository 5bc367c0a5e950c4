//! The items of a memory.

use plan_machine::Instant;
use plan_machine::scope::ScopeKey;

/// An item, as recalled by a permitted reader.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The remembered text.
    pub text: String,
    /// The scope it belongs to.
    pub scope: ScopeKey,
    /// When it was stored.
    pub at: Instant,
    /// Who remembered or promoted it.
    pub by: String,
    /// The scope it was promoted from.
    pub from: Option<String>,
}
