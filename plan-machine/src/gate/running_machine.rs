//! A machine together with its plans in a session, without the type of the machine.

use std::sync::Arc;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::time::Instant;

use crate::core::description::Description;
use crate::core::id::Id;
use crate::dynamic::machine::{
    BatchStart, Call, Denial, Env, Machine, Outcome, PlanTimers, PlanView, RestoreError,
    StoredPlans, UnknownEvent,
};

/// A machine that runs in a session. A session can have several machines of different types.
pub trait RunningMachine: Send {
    /// Returns the machine's tables.
    fn description(&self) -> &'static Description;

    /// Applies an event to the plans.
    ///
    /// # Errors
    ///
    /// If the call names an event that the machine does not have.
    fn step(&mut self, call: &Call, env: &mut Env<'_>) -> Result<Outcome, UnknownEvent>;

    /// Returns the result that an event would have for these plans. Nothing changes.
    ///
    /// # Errors
    ///
    /// If the call names an event that the machine does not have.
    fn preview(
        &self,
        plans: &StoredPlans,
        call: &Call,
        env: &mut Env<'_>,
    ) -> Result<Outcome, UnknownEvent>;

    /// Returns whether a host tool could run now with some arguments, if the state leaves that to alternatives.
    fn could_run(&self, tool: &str, now: Instant) -> bool;

    /// Returns the state in which a batch of calls would start now.
    fn batch_start(&self) -> BatchStart;

    /// Returns the id of the plan in the slot; machines with many plans have no slot.
    fn slot_plan(&self) -> Option<Id>;

    /// Returns the plans in order of creation, including ended ones.
    fn plans(&self) -> Vec<PlanView>;

    /// Returns the timers of the plans.
    fn timers(&self) -> PlanTimers;

    /// Returns the id of a plan.
    fn plan_id(&self, plan: usize) -> Option<Id>;

    /// Returns the plans in the form in which they are stored.
    fn stored(&self) -> StoredPlans;

    /// Replaces the current plans with stored ones.
    ///
    /// # Errors
    ///
    /// If a plan does not match the machine, or if the plans are inconsistent with each other; in either case, nothing
    /// has changed.
    fn restore(&mut self, stored: &StoredPlans) -> Result<(), RestoreError>;

    /// Sets the editions that the session's plans have used: the next step continues counting from them.
    fn set_editions(&mut self, editions: Editions);

    /// Returns the names of the machine's own tools that the model sees now, sorted.
    fn advertised(&self) -> Vec<String>;

    /// Returns whether plans that have ended can still be addressed or listed.
    fn needs_ended(&self) -> bool;

    /// Drops the plans that have ended, if they are no longer needed.
    fn forget_ended(&mut self);
}

/// A machine with its plans in a session.
pub(super) struct Run<M: Machine> {
    machine: Arc<M>,
    held: M::HeldPlans,
}

impl<M: Machine> Run<M> {
    pub(super) fn new(machine: Arc<M>) -> Self {
        let held = machine.empty();
        Self { machine, held }
    }
}

impl<M: Machine + Send + Sync> RunningMachine for Run<M> {
    fn description(&self) -> &'static Description {
        self.machine.description()
    }

    fn step(&mut self, call: &Call, env: &mut Env<'_>) -> Result<Outcome, UnknownEvent> {
        self.machine.step(&mut self.held, call, env)
    }

    fn preview(
        &self,
        plans: &StoredPlans,
        call: &Call,
        env: &mut Env<'_>,
    ) -> Result<Outcome, UnknownEvent> {
        let mut held = match self.machine.restore(plans) {
            Ok(held) => held,
            Err(damaged) => return Ok(Outcome::Denied(unreadable(&damaged))),
        };
        let editions = self.machine.editions(&self.held);
        self.machine.set_editions(&mut held, editions);
        self.machine.step(&mut held, call, env)
    }

    fn could_run(&self, tool: &str, now: Instant) -> bool {
        self.machine.could_run(&self.held, tool, now)
    }

    fn batch_start(&self) -> BatchStart {
        self.machine.batch_start(&self.held)
    }

    fn slot_plan(&self) -> Option<Id> {
        self.machine.slot_plan(&self.held)
    }

    fn plans(&self) -> Vec<PlanView> {
        self.machine.plans(&self.held)
    }

    fn timers(&self) -> PlanTimers {
        self.machine.timers(&self.held)
    }

    fn plan_id(&self, plan: usize) -> Option<Id> {
        self.machine.plan_id(&self.held, plan)
    }

    fn stored(&self) -> StoredPlans {
        StoredPlans {
            plans: self.plans(),
            slot: self.machine.slot(&self.held),
            editions: self.machine.editions(&self.held).last(),
        }
    }

    fn set_editions(&mut self, editions: Editions) {
        self.machine.set_editions(&mut self.held, editions);
    }

    fn restore(&mut self, stored: &StoredPlans) -> Result<(), RestoreError> {
        self.held = self.machine.restore(stored)?;
        Ok(())
    }

    fn advertised(&self) -> Vec<String> {
        self.machine.advertised(&self.held)
    }

    fn needs_ended(&self) -> bool {
        self.machine.needs_ended()
    }

    fn forget_ended(&mut self) {
        if !self.needs_ended() {
            self.machine.forget_ended(&mut self.held);
        }
    }
}

/// Returns the denial of an event that cannot be tried because the plans cannot be read.
fn unreadable(damaged: &RestoreError) -> Denial {
    Denial::new(DenialKind::NotAllowed, damaged.to_string(), "none")
}
