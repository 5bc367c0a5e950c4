//! Plans whose state is known only at run time, and the results of typed moves.

use std::fmt;

use plan_machine_kernel::time::Instant;

use crate::core::id::Id;
use crate::core::record::Record;
use crate::core::types::MachineTypes;

/// A plan in any state. It cannot be cloned, because a copy could diverge from the original.
pub struct AnyPlan<L: MachineTypes>(Box<Record<L>>);

/// A type-level marker of a state.
pub trait StateMarker<L: MachineTypes> {
    /// The state that the marker represents.
    const STATE: L::State;
    /// A plan that is known to be in this state.
    type Plan;

    /// Returns the plan with the type of this state.
    ///
    /// # Errors
    ///
    /// Returns the plan if it is in another state.
    #[doc(hidden)]
    fn of(plan: AnyPlan<L>) -> Result<Self::Plan, AnyPlan<L>>;
}

impl<L: MachineTypes> AnyPlan<L> {
    /// Wraps a record that a step has created or that was checked when it was restored.
    pub(crate) fn of(record: Box<Record<L>>) -> Self {
        Self(record)
    }

    /// Returns a plan without the type of its state.
    #[doc(hidden)]
    #[must_use]
    pub fn untyped(_: L::Seal, record: Box<Record<L>>) -> Self {
        Self(record)
    }

    /// Converts the plan to its record, to which no more events can be applied.
    #[doc(hidden)]
    #[must_use]
    pub fn into_record(self) -> Box<Record<L>> {
        self.0
    }

    pub(crate) fn record_mut(&mut self) -> &mut Record<L> {
        &mut self.0
    }

    /// Returns the record.
    #[must_use]
    pub fn record(&self) -> &Record<L> {
        &self.0
    }

    /// Returns the plan's identity.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.0.id
    }

    /// Returns the plan's leaf state.
    #[must_use]
    pub fn state(&self) -> L::State {
        self.0.state
    }

    /// Returns the number of times the plan has changed.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.0.revision
    }

    /// Returns the plan's edition, which increases with each step that writes a reviewed field.
    #[must_use]
    pub fn edition(&self) -> u64 {
        self.0.edition
    }

    /// Returns the id of the plan that this plan succeeded.
    #[must_use]
    pub fn previous(&self) -> Option<&Id> {
        self.0.previous.as_ref()
    }

    /// Returns the instant at which the next timer of the plan is due; `None` if no timer is running.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.0.due()
    }

    /// Returns the plan's data.
    #[must_use]
    pub fn data(&self) -> &L::Data {
        &self.0.data
    }

    /// Returns the plan with the type of the state `S`.
    ///
    /// # Errors
    ///
    /// Returns the plan if it is in another state.
    pub fn into_state<S: StateMarker<L>>(self) -> Result<S::Plan, Self> {
        S::of(self)
    }

    /// Returns a copy for a step that may be rolled back.
    pub(crate) fn fork(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<L: MachineTypes> fmt::Debug for AnyPlan<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// A plan that has left the slot.
#[derive(Debug)]
#[must_use]
pub struct ReleasedPlan<P> {
    /// The plan in its final state.
    pub ended: P,
}

/// A plan that has ended, and the plan that succeeded it.
#[derive(Debug)]
#[must_use]
pub struct Succession<P, N> {
    /// The plan in its final state.
    pub ended: P,
    /// The successor.
    pub plan: N,
}
