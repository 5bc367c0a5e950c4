//! Unwraps values that the compiler has proved to exist, such as a record that a step has created.

use crate::core::denied::{DenialReason, DeniedStep};
use crate::core::record::Record;
use crate::core::steps::{SlotChange, StepEnd};
use crate::core::types::MachineTypes;

/// Unwraps a step that the compiler has proved to be accepted.
///
/// # Panics
///
/// Never: the proof relies on the fields in the state's `has`, which every record in that state has set.
pub fn proved<T>(result: Result<T, DenialReason>) -> T {
    match result {
        Ok(value) => value,
        Err(reason) => unreachable!("proved to succeed at compile time, but denied: {reason:?}"),
    }
}

/// Unwraps a field that is always set in the state.
///
/// # Panics
///
/// Never: every step that ends in the state sets the field, and a stored record is checked for the field.
pub fn certain<T>(field: Option<T>) -> T {
    field.expect("proved at compile time, and checked when a record is read")
}

/// Unwraps the record that a step has created.
///
/// # Panics
///
/// Never: every transition that uses this function creates a record.
#[must_use]
pub fn created<L: MachineTypes>(after: StepEnd<L>) -> Box<Record<L>> {
    match after.outcome {
        SlotChange::Starts(record) | SlotChange::Succeeded(record) => record,
        SlotChange::Stays | SlotChange::Released => impossible(),
    }
}

/// Marks code that is reached only if no alternative of a transition applies.
///
/// # Panics
///
/// If the code is ever reached, which the alternatives rule out.
pub fn impossible() -> ! {
    unreachable!("one alternative of the transition always applies")
}

/// Returns the denial of an event that was sent with a typed method.
#[must_use]
pub fn denied<L: MachineTypes>(state: u16, event: u16, reason: DenialReason) -> DeniedStep {
    DeniedStep::new(L::MACHINE, state, event, reason)
}
