//! What is remembered.

use plan_machine::Instant;
use plan_machine::scope::ScopeKey;

/// An item, as somebody recalls it who may.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// What is remembered.
    pub text: String,
    /// Where it is kept.
    pub scope: ScopeKey,
    /// Since when.
    pub at: Instant,
    /// Who remembered or promoted it.
    pub by: String,
    /// Where it was before it was promoted.
    pub from: Option<String>,
}
