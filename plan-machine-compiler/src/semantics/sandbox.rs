//! A session in memory with reproducible ids and a fixed clock: for scenarios, for `plan-machine
//! run`, and for tests.

use std::cell::Cell;
use std::sync::Arc;

use plan_machine_kernel::json::Object;
use plan_machine_kernel::step::{BatchStart, START_OF_TIME};
use plan_machine_kernel::time::Instant;

use super::batch::batch_start;
use super::event::{Call, Env, ROOM};
use super::outcome::Outcome;
use super::record::HeldRecords;
use super::step::step;
use crate::model::{Checked, Machine};

/// A session whose ids are `plan-1`, `plan-2`, …
#[derive(Clone, Debug)]
pub struct Sandbox<'m> {
    machine: &'m Checked<Machine>,
    held: HeldRecords,
    room: usize,
}

/// The context of one event.
#[derive(Clone, Debug, Default)]
pub struct EventContext {
    /// The context supplied by the host.
    pub context: Object,
    /// The time of the event, if it differs from the default.
    pub at: Option<Instant>,
}

impl<'m> Sandbox<'m> {
    /// Creates an empty session.
    #[must_use]
    pub fn new(machine: &'m Checked<Machine>) -> Self {
        Self {
            machine,
            held: HeldRecords::default(),
            room: usize::MAX,
        }
    }

    /// Limits the number of bytes that all steps together may build; a step that would exceed the limit is denied.
    #[must_use]
    pub fn with_room(mut self, bytes: usize) -> Self {
        self.room = bytes;
        self
    }

    /// Returns the number of bytes that the steps may still build.
    #[must_use]
    pub fn room(&self) -> usize {
        self.room
    }

    /// Returns the machine.
    #[must_use]
    pub fn machine(&self) -> &'m Checked<Machine> {
        self.machine
    }

    /// Returns the held records.
    #[must_use]
    pub fn held(&self) -> &HeldRecords {
        &self.held
    }

    /// Returns the start of a batch that begins in the current state.
    #[must_use]
    pub fn batch_start(&self) -> BatchStart {
        batch_start(self.machine, &self.held)
    }

    /// Processes one event.
    pub fn step(&mut self, call: &Call, around: &EventContext) -> Outcome {
        // A denied step must not use up an id, so ids are derived from the number of existing records.
        let number = self.held.records.len() + 1;
        self.step_numbered(call, around, number)
    }

    /// Processes one event; a new record gets this number in its id. The machines of a session
    /// share one sequence of numbers.
    pub fn step_numbered(&mut self, call: &Call, around: &EventContext, number: usize) -> Outcome {
        let mut new_id = || Arc::from(format!("plan-{number}"));
        let room = self.room.min(ROOM);
        let mut env = Env {
            room: Cell::new(room),
            now: around.at.unwrap_or(START_OF_TIME),
            new_id: &mut new_id,
            context: &around.context,
            host_tools: None,
        };
        let outcome = step(self.machine, &mut self.held, call, &mut env);
        self.room -= room - env.room.get();
        outcome
    }
}
