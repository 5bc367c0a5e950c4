//! One plan as it is stored: where it is, what it holds, how often it has changed.

use std::fmt;
use std::ops::Deref;

use crate::core::id::Id;
use crate::core::types::MachineTypes;

/// A plan's record. Its [fields](RecordFields) can be read, and nothing outside of the machine's module writes
/// them: a record is what a step has made, or what a restore has checked.
///
/// Beside the data it takes 56 bytes.
pub struct Record<L: MachineTypes>(RecordFields<L>);

/// What a record says of its plan.
pub struct RecordFields<L: MachineTypes> {
    /// Its identity.
    pub id: Id,
    /// The record it succeeded.
    pub previous: Option<Id>,
    /// Grows with each step that moves or changes it.
    pub revision: u64,
    /// Grows with each step that writes what a person reviews.
    pub edition: u64,
    /// The leaf it is in.
    pub state: L::State,
    /// What it holds.
    pub data: L::Data,
}

// Derived code would ask that the machine itself can be cloned.
impl<L: MachineTypes> Clone for Record<L> {
    fn clone(&self) -> Self {
        Self(RecordFields {
            id: self.id.clone(),
            previous: self.previous.clone(),
            revision: self.revision,
            edition: self.edition,
            state: self.state,
            data: self.data.clone(),
        })
    }
}

impl<L: MachineTypes> Deref for Record<L> {
    type Target = RecordFields<L>;

    #[inline]
    fn deref(&self) -> &RecordFields<L> {
        &self.0
    }
}

impl<L: MachineTypes> fmt::Debug for Record<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl<L: MachineTypes> fmt::Debug for RecordFields<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("id", &self.id)
            .field("previous", &self.previous)
            .field("revision", &self.revision)
            .field("edition", &self.edition)
            .field("state", &L::state_name(self.state))
            .field("data", &self.data)
            .finish()
    }
}

impl<L: MachineTypes> Record<L> {
    /// A record of what was read and checked.
    pub(crate) fn restored(fields: RecordFields<L>) -> Self {
        Self(fields)
    }

    /// The fields by themselves, which are no longer a record.
    #[must_use]
    pub fn into_fields(self) -> RecordFields<L> {
        self.0
    }

    /// A record that starts now.
    #[doc(hidden)]
    #[must_use]
    pub fn start(_: L::Seal, id: Id, state: L::State, data: L::Data, edition: u64) -> Box<Self> {
        Box::new(Self(RecordFields {
            id,
            previous: None,
            revision: 1,
            edition,
            state,
            data,
        }))
    }

    /// A record that takes this one's place.
    #[doc(hidden)]
    #[must_use]
    pub fn succeed(
        &self,
        _: L::Seal,
        id: Id,
        state: L::State,
        data: L::Data,
        edition: u64,
    ) -> Box<Self> {
        Box::new(Self(RecordFields {
            id,
            previous: Some(self.id.clone()),
            revision: 1,
            edition,
            state,
            data,
        }))
    }

    /// The fields, for a step that changes them.
    #[doc(hidden)]
    #[inline]
    pub fn open(&mut self, _: L::Seal) -> &mut RecordFields<L> {
        &mut self.0
    }
}
