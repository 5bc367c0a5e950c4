//! Plans whose state is known only at run time, and what typed moves give back.

use std::fmt;

use crate::core::id::Id;
use crate::core::record::Record;
use crate::core::types::MachineTypes;

/// A plan in whichever state it is. It cannot be cloned: a fork would be a second truth.
pub struct AnyPlan<L: MachineTypes>(Box<Record<L>>);

/// A marker of a state, at the type level.
pub trait StateMarker<L: MachineTypes> {
    /// The state.
    const STATE: L::State;
    /// A plan that is known to be in it.
    type Plan;

    /// The plan in this state.
    ///
    /// # Errors
    ///
    /// Gives the plan back where it is in another.
    #[doc(hidden)]
    fn of(plan: AnyPlan<L>) -> Result<Self::Plan, AnyPlan<L>>;
}

impl<L: MachineTypes> AnyPlan<L> {
    /// A record that a step has made, or a restore has checked.
    pub(crate) fn of(record: Box<Record<L>>) -> Self {
        Self(record)
    }

    /// A plan whose state was known.
    #[doc(hidden)]
    #[must_use]
    pub fn untyped(_: L::Seal, record: Box<Record<L>>) -> Self {
        Self(record)
    }

    /// The record alone, which can no longer make moves.
    #[doc(hidden)]
    #[must_use]
    pub fn into_record(self) -> Box<Record<L>> {
        self.0
    }

    pub(crate) fn record_mut(&mut self) -> &mut Record<L> {
        &mut self.0
    }

    /// The record.
    #[must_use]
    pub fn record(&self) -> &Record<L> {
        &self.0
    }

    /// Its identity.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.0.id
    }

    /// The leaf it is in.
    #[must_use]
    pub fn state(&self) -> L::State {
        self.0.state
    }

    /// How often it has changed.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.0.revision
    }

    /// How often it has changed for those who review it.
    #[must_use]
    pub fn edition(&self) -> u64 {
        self.0.edition
    }

    /// The plan it succeeded.
    #[must_use]
    pub fn previous(&self) -> Option<&Id> {
        self.0.previous.as_ref()
    }

    /// What it holds.
    #[must_use]
    pub fn data(&self) -> &L::Data {
        &self.0.data
    }

    /// The plan in one state.
    ///
    /// # Errors
    ///
    /// Gives the plan back where it is in another.
    pub fn into_state<S: StateMarker<L>>(self) -> Result<S::Plan, Self> {
        S::of(self)
    }

    /// A copy for a step that may yet be taken back.
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
    /// The plan, ended.
    pub ended: P,
}

/// A plan that has ended, and the one that took its place.
#[derive(Debug)]
#[must_use]
pub struct Succession<P, N> {
    /// The plan, ended.
    pub ended: P,
    /// Its successor.
    pub plan: N,
}
