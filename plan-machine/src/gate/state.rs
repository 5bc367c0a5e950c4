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

/// The machines of one session and the tools of its host: what is held, and what decides about it.
pub struct Gate {
    pub(super) machine_set: MachineSet,
    pub(super) machines: Vec<Box<dyn RunningMachine>>,
    /// Stored plans that do not fit their machines.
    pub(super) damaged: Vec<DamagedPlan>,
    /// How many plans have begun.
    pub(super) born: u64,
    /// The id of the plan that will begin next, once it is made.
    pub(super) next_id: Option<Id>,
    /// What has happened, if someone asked for it.
    pub(super) log: Option<Vec<GateEvent>>,
    /// Room for where a batch begins; empty between batches.
    pub(super) starts: Vec<BatchStart>,
    /// How often each machine has come to another state, or another plan into its slot.
    pub(super) moves: Vec<u64>,
    /// Who decides here.
    pub(super) owner: Owner,
    /// Whether it is the gate of a session, which confirms calls itself.
    pub(super) in_session: bool,
}

impl MachineSet {
    /// The gate of a session that holds nothing yet.
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
    /// The machines, in the order in which they were added.
    #[must_use]
    pub fn machines(&self) -> &[Box<dyn RunningMachine>] {
        &self.machines
    }

    /// What all sessions of the host have in common.
    #[doc(hidden)]
    #[must_use]
    pub fn machine_set(&self) -> &MachineSet {
        &self.machine_set
    }

    /// The place of a machine by its name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        let mut machines = self.machines.iter();
        machines.position(|machine| machine.description().name == name)
    }

    /// Makes it the gate of a session: what is decided here, the session confirms.
    #[doc(hidden)]
    pub fn belong_to(&mut self, sessions: Owner) {
        (self.owner, self.in_session) = (sessions, true);
    }

    /// Lets go of plans that have ended, where nothing asks for them any more: a journal has them.
    pub fn forget_ended(&mut self) {
        for machine in &mut self.machines {
            machine.forget_ended();
        }
    }

    /// Says which editions plans of all machines may have had.
    #[doc(hidden)]
    pub fn set_all_editions(&mut self, editions: Editions) {
        for machine in &mut self.machines {
            machine.set_editions(editions);
        }
    }

    /// Says which editions plans of a machine have had.
    #[doc(hidden)]
    pub fn set_editions(&mut self, at: usize, editions: Editions) {
        self.machines[at].set_editions(editions);
    }

    /// Puts stored plans of a machine back, in the place of what it holds; `false` where the session
    /// has no such machine.
    ///
    /// # Errors
    ///
    /// Names the plan that does not fit; nothing has changed then.
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
