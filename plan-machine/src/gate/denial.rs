//! The denials of the gate itself.

use plan_machine_kernel::denial::DenialKind;

use crate::dynamic::machine::Denial;

impl Denial {
    /// Returns a denial with one message, without states in which the event would have been allowed.
    pub(super) fn new(kind: DenialKind, message: String, state: impl Into<String>) -> Self {
        Self {
            kind,
            messages: vec![message],
            state: state.into(),
            allowed_in: Vec::new(),
        }
    }
}
