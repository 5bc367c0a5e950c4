//! The gate: every tool call of a model and every command of a user is decided here, in one place.
//!
//! A session puts its machines together once, which tells what cannot live side by side. From then
//! on one table decides both what the model is shown and what it may do, so the two cannot drift
//! apart.
//!
//! ```
//! use plan_machine::gate::{Decision, Gate, Surroundings, ToolCall};
//! use plan_machine::Object;
//!
//! plan_machine::machine! {
//!     machine Note;
//!     command begin = "/note";
//!     command end = "/done";
//!     state none { other_tools deny; on begin => OPEN; }
//!     state OPEN { on end => CLOSED next none; }
//!     final state CLOSED;
//! }
//!
//! let mut gate = Gate::new().with(note::Machine).host_tool("shell", "Runs a command.", Object::new()).open()?;
//! let around = Surroundings::default();
//! let call = [ToolCall::new("shell", Object::new())];
//! assert!(matches!(gate.decide(&call, &around)[0], Decision::Denied(_)));
//! gate.command("/note", &around)?;
//! let Decision::Run(allowed) = gate.decide(&call, &around).remove(0) else {
//!     return Err("it may run".into());
//! };
//! // Before the host runs a call, it confirms that the gate is still open.
//! let confirmed = gate.confirm(allowed).map_err(|denial| denial.to_string())?;
//! assert_eq!(confirmed.tool(), "shell");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advertise;
mod assemble;
mod command;
mod confirm;
mod conflicts;
mod damaged;
mod decide;
mod early;
mod ensemble;
pub(crate) mod limits;
mod look_alike;
mod send;
mod step;
mod surroundings;

use std::fmt;

pub use advertise::Shape;
pub use assemble::{Assembly, HostToolInfo};
pub use command::{Answer, NoCommand};
pub use confirm::{AllowedCall, ConfirmedCall};
pub use conflicts::Conflict;
pub use damaged::DamagedPlan;
pub use decide::{Batch, Decision, EarlierDecision, ToolCall};
pub use ensemble::Ensemble;
pub use limits::{InvalidInput, MAX_INPUT_BYTES, MAX_INPUT_DEPTH, MAX_NAME_BYTES};
pub use send::UnknownName;
pub use step::{Happened, Step};
pub use surroundings::{Surroundings, Trail};

#[cfg(feature = "sessions")]
use plan_machine_kernel::edition::Editions;

use crate::id::Id;
use crate::machine::{BatchStart, Damaged, Stored};
use crate::running::Running;

/// The machines of one session and the tools of its host: what is held, and what decides about it.
pub struct Gate {
    ensemble: Ensemble,
    machines: Vec<Box<dyn Running>>,
    /// Stored plans that do not fit their machines.
    damaged: Vec<DamagedPlan>,
    /// How many plans have begun.
    born: u64,
    /// The id of the plan that will begin next, once it is made.
    next_id: Option<Id>,
    /// What has happened, where somebody wants to know.
    log: Option<Vec<Happened>>,
    /// Room for where a batch begins; empty between batches.
    starts: Vec<BatchStart>,
}

impl Gate {
    /// Begins to put a session together.
    #[must_use]
    #[expect(
        clippy::new_ret_no_self,
        reason = "a gate opens once everything is put together"
    )]
    pub fn new() -> Assembly {
        Assembly::default()
    }

    /// The machines, in the order in which they were added.
    #[must_use]
    pub fn machines(&self) -> &[Box<dyn Running>] {
        &self.machines
    }

    /// What all sessions of the host have in common.
    #[cfg(feature = "sessions")]
    pub(crate) fn ensemble(&self) -> &Ensemble {
        &self.ensemble
    }

    /// The place of a machine by its name.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let mut machines = self.machines.iter();
        machines.position(|machine| machine.description().name == name)
    }

    /// Lets go of plans that have ended, where nothing asks for them any more: a journal has them.
    pub fn forget_ended(&mut self) {
        for machine in &mut self.machines {
            machine.forget_ended();
        }
    }

    /// Says which editions plans of all machines may have had.
    #[cfg(feature = "sessions")]
    pub(crate) fn set_all_editions(&mut self, editions: Editions) {
        for machine in &mut self.machines {
            machine.set_editions(editions);
        }
    }

    /// Says which editions plans of a machine have had.
    #[cfg(feature = "sessions")]
    pub(crate) fn set_editions(&mut self, at: usize, editions: Editions) {
        self.machines[at].set_editions(editions);
    }

    /// Puts stored plans of a machine back, in the place of what it holds; `false` where the session
    /// has no such machine.
    ///
    /// # Errors
    ///
    /// Names the plan that does not fit; nothing has changed then.
    pub fn restore(&mut self, machine: &str, stored: &Stored) -> Result<bool, Damaged> {
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
