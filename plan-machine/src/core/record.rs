//! A plan as it is stored: its state, its data, and its counters.

use std::fmt;
use std::ops::Deref;

use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::Timer;

use crate::core::id::Id;
use crate::core::types::{MachineTypes, TimerArray};

/// A plan's record. Its [fields](RecordFields) can be read, but only the machine's own module can write them: a record
/// is created by a step, or checked when it is restored.
///
/// A record takes up 56 bytes plus the size of its data, and 16 bytes for each timer of its machine.
pub struct Record<L: MachineTypes>(RecordFields<L>);

/// The content of a record.
pub struct RecordFields<L: MachineTypes> {
    /// The identity of the plan.
    pub id: Id,
    /// The id of the record that this record succeeded.
    pub previous: Option<Id>,
    /// Incremented by each step that changes the state or the data.
    pub revision: u64,
    /// Increased by each step that writes a reviewed field.
    pub edition: u64,
    /// The leaf state of the plan.
    pub state: L::State,
    /// The data of the plan.
    pub data: L::Data,
    /// The timers of the plan, in the order of the machine's tables.
    pub(crate) timers: L::Timers,
}

// A derived implementation would require the machine itself to be `Clone`.
impl<L: MachineTypes> Clone for Record<L> {
    fn clone(&self) -> Self {
        Self(RecordFields {
            id: self.id.clone(),
            previous: self.previous.clone(),
            revision: self.revision,
            edition: self.edition,
            state: self.state,
            data: self.data.clone(),
            timers: self.timers,
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
        let mut record = f.debug_struct("Record");
        record
            .field("id", &self.id)
            .field("previous", &self.previous)
            .field("revision", &self.revision)
            .field("edition", &self.edition)
            .field("state", &L::state_name(self.state))
            .field("data", &self.data);
        if L::HAS_TIMERS {
            record.field("timers", &self.timers);
        }
        record.finish()
    }
}

impl<L: MachineTypes> Record<L> {
    /// Returns a record with fields that have been deserialized and checked.
    pub(crate) fn restored(fields: RecordFields<L>) -> Self {
        Self(fields)
    }

    /// Returns the instant at which the next timer of the plan is due; `None` if no timer is running.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        let timers = self.timers.as_ref().iter().copied();
        timers.filter_map(Timer::due).min()
    }

    /// Converts the record to its fields, which can no longer be turned into a record.
    #[must_use]
    pub fn into_fields(self) -> RecordFields<L> {
        self.0
    }

    /// Returns a new record.
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
            timers: L::Timers::OFF,
        }))
    }

    /// Returns a record that succeeds this one.
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
            timers: L::Timers::OFF,
        }))
    }

    /// Returns mutable access to the fields, for the runtime, which starts and ends timers.
    pub(crate) fn fields_mut(&mut self) -> &mut RecordFields<L> {
        &mut self.0
    }

    /// Returns mutable access to the fields, for a step that changes them.
    #[doc(hidden)]
    #[inline]
    pub fn open(&mut self, _: L::Seal) -> &mut RecordFields<L> {
        &mut self.0
    }
}
