//! Batches: the calls of one model response.

use plan_machine_kernel::step::BatchStart;

use super::record::HeldRecords;
use crate::model::{Machine, StateId};

/// Returns the start of a batch that begins in the current state.
#[must_use]
pub fn batch_start(machine: &Machine, held: &HeldRecords) -> BatchStart {
    let leaf = if machine.is_many() {
        StateId::NONE
    } else {
        held.leaf()
    };
    BatchStart::at(machine.place(leaf))
}
