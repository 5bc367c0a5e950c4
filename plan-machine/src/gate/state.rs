//! A gate and what it holds.

use std::fmt;

use plan_machine_kernel::edition::Editions;

use super::damaged_plan::DamagedPlan;
use super::gate_event::GateEvent;
use super::machine_set::MachineSet;
use super::owner::Owner;
use crate::core::id::Id;
use crate::dynamic::machine::{BatchStart, RestoreError, StoredPlans};
use crate::dynamic::running::RunningMachine;

/// The machines of one session and the host tools: what is held, and what decides about it.
pub struct Gate {
    pub(super) machine_set: MachineSet,
    pub(super) machines: Vec<Box<dyn RunningMachine>>,
    /// Stored plans that do not fit their machines.
    pub(super) damaged: Vec<DamagedPlan>,
    /// How many plans have been started.
    pub(super) born: u64,
    /// The id of the next plan, once it is created.
    pub(super) next_id: Option<Id>,
    /// What has happened, if someone asked for it.
    pub(super) log: Option<Vec<GateEvent>>,
    /// A buffer for the positions at which a batch starts; empty between batches.
    pub(super) starts: Vec<BatchStart>,
    /// How often each machine has changed its state, or the plan in its slot.
    pub(super) moves: Vec<u64>,
    /// Who decides here.
    pub(super) owner: Owner,
    /// Whether it is the gate of a session, which confirms calls itself.
    pub(super) in_session: bool,
}

impl MachineSet {
    /// Returns the gate of a session that holds nothing yet.
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

    /// Returns what all sessions of the host have in common.
    #[doc(hidden)]
    #[must_use]
    pub fn machine_set(&self) -> &MachineSet {
        &self.machine_set
    }

    /// Returns the position of a machine by its name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        let mut machines = self.machines.iter();
        machines.position(|machine| machine.description().name == name)
    }

    /// Makes it the gate of a session: the session confirms what is decided here.
    #[doc(hidden)]
    pub fn belong_to(&mut self, sessions: Owner) {
        (self.owner, self.in_session) = (sessions, true);
    }

    /// Drops plans that have ended and are no longer needed: a journal has them.
    pub fn forget_ended(&mut self) {
        for machine in &mut self.machines {
            machine.forget_ended();
        }
    }

    /// Sets which editions plans of all machines may have had.
    #[doc(hidden)]
    pub fn set_all_editions(&mut self, editions: Editions) {
        for machine in &mut self.machines {
            machine.set_editions(editions);
        }
    }

    /// Sets which editions plans of a machine have had.
    #[doc(hidden)]
    pub fn set_editions(&mut self, at: usize, editions: Editions) {
        self.machines[at].set_editions(editions);
    }

    /// Restores stored plans of a machine, in place of what it holds; returns `false` if the session has no such
    /// machine.
    ///
    /// # Errors
    ///
    /// If a plan does not fit; nothing has changed then.
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
