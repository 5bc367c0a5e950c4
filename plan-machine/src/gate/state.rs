//! The state of a gate.

use std::fmt;

use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::time::Instant;

use super::damaged_plan::DamagedPlan;
use super::gate_event::GateEvent;
use super::machine_set::MachineSet;
use super::owner::Owner;
use super::running_machine::RunningMachine;
use super::turn::Turn;
use crate::core::id::Id;
use crate::dynamic::machine::{BatchStart, RestoreError, StoredPlans};

/// The machines of one session with their plans, and the host tools.
pub struct Gate {
    pub(super) machine_set: MachineSet,
    pub(super) machines: Vec<Box<dyn RunningMachine>>,
    /// Stored plans that do not match their machines.
    pub(super) damaged: Vec<DamagedPlan>,
    /// The number of plans that have been started in the session.
    pub(super) born: u64,
    /// The id of the next plan, once it has been generated.
    pub(super) next_id: Option<Id>,
    /// The events that have not been fetched yet; `None` if events are not recorded.
    pub(super) log: Option<Vec<GateEvent>>,
    /// A buffer for the states in which a batch starts; empty between batches.
    pub(super) starts: Vec<BatchStart>,
    /// The number of times each machine has changed its state or the plan in its slot.
    pub(super) moves: Vec<u64>,
    /// The time of the last step, in a session whose machines have timers.
    pub(super) clock: Option<Instant>,
    /// The current turn; `None` until the host begins one.
    pub(super) turn: Option<Turn>,
    /// The owner of the decisions that this gate makes.
    pub(super) owner: Owner,
    /// Whether the gate belongs to a session; in this case, the session confirms the calls.
    pub(super) in_session: bool,
}

impl MachineSet {
    /// Returns a gate for a session without any plans.
    #[must_use]
    pub fn gate(&self) -> Gate {
        let started = self.started();
        let machines = started.len();
        Gate {
            machine_set: self.clone(),
            machines: started,
            damaged: Vec::new(),
            born: 0,
            next_id: None,
            log: None,
            starts: Vec::new(),
            moves: vec![0; machines],
            clock: None,
            turn: None,
            owner: Owner::unique(),
            in_session: false,
        }
    }
}

impl Gate {
    /// Returns the machines, in the order in which they were added.
    #[must_use]
    pub fn machines(&self) -> &[Box<dyn RunningMachine>] {
        &self.machines
    }

    /// Returns the machines and tools that all sessions of the host share.
    #[doc(hidden)]
    #[must_use]
    pub fn machine_set(&self) -> &MachineSet {
        &self.machine_set
    }

    /// Returns the index of the machine with this name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        let mut machines = self.machines.iter();
        machines.position(|machine| machine.description().name == name)
    }

    /// Makes this the gate of a session: the session confirms the calls that the gate allows.
    #[doc(hidden)]
    pub fn belong_to(&mut self, sessions: Owner) {
        (self.owner, self.in_session) = (sessions, true);
    }

    /// Drops ended plans that are no longer needed in memory, because the journal contains them.
    pub fn forget_ended(&mut self) {
        for machine in &mut self.machines {
            machine.forget_ended();
        }
    }

    /// Sets the editions that the plans of all machines may have used.
    #[doc(hidden)]
    pub fn set_all_editions(&mut self, editions: Editions) {
        for machine in &mut self.machines {
            machine.set_editions(editions);
        }
    }

    /// Sets the editions that the plans of a machine have used.
    #[doc(hidden)]
    pub fn set_editions(&mut self, at: usize, editions: Editions) {
        self.machines[at].set_editions(editions);
    }

    /// Replaces the plans of a machine with stored ones; returns `false` if the session has no such machine.
    ///
    /// # Errors
    ///
    /// If a plan does not match the machine, or if the plans are inconsistent with each other; in either case, nothing
    /// has changed.
    pub fn restore(&mut self, machine: &str, stored: &StoredPlans) -> Result<bool, RestoreError> {
        let Some(at) = self.position(machine) else {
            return Ok(false);
        };
        self.machines[at].restore(stored)?;
        self.set_born(self.born + stored.plans.len() as u64);
        Ok(true)
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self
            .machines
            .iter()
            .map(|machine| machine.description().name);
        f.debug_struct("Gate")
            .field("machines", &names.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
