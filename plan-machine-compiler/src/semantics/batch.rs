//! The calls of one model response.

use super::event::{Call, Env};
use super::outcome::Outcome;
use super::record::Held;
use super::step::step_from;
use crate::model::{Machine, StateId};

/// The state in which a batch begins: what would not run there does not run later in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchStart(StateId);

impl BatchStart {
    /// A batch that began in this leaf.
    #[must_use]
    pub fn at(leaf: StateId) -> Self {
        Self(leaf)
    }

    /// The leaf in which it began.
    #[must_use]
    pub fn leaf(self) -> StateId {
        self.0
    }

    /// A batch that begins now.
    #[must_use]
    pub fn of(machine: &Machine, held: &Held) -> Self {
        if machine.is_many() {
            Self(StateId::NONE)
        } else {
            Self(held.leaf())
        }
    }
}

/// One call of a batch.
pub fn step_in_batch(
    machine: &Machine,
    held: &mut Held,
    call: &Call,
    start: BatchStart,
    env: &mut Env<'_>,
) -> Outcome {
    step_from(machine, held, call, Some(start.0), env)
}
