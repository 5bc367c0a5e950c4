//! The items of a memory.

use plan_machine::Instant;
use plan_machine::scope::ScopeKey;

/// An item of a memory, as recalled by a reader that may read its scope.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The remembered text.
    pub text: String,
    /// The scope that the item belongs to.
    pub scope: ScopeKey,
    /// When the item was stored.
    pub at: Instant,
    /// Who stored or promoted the item.
    pub by: String,
    /// The scope that the item was promoted from, if it was promoted.
    pub from: Option<String>,
}
