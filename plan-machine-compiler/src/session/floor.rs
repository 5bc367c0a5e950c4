//! What may run in a turn.

use std::collections::BTreeSet;

use crate::model::EventId;

/// The entries of host tools that may run with at least some arguments.
pub(super) type OpenTools = BTreeSet<EventId>;

/// A turn, and the host tools that may run in it.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) id: String,
    /// For each machine, the host tools that could run when the turn began, and those that a person has opened since.
    pub(super) floor: Vec<OpenTools>,
}
