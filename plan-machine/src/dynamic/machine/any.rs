//! The trait of all machines.

use std::collections::BTreeSet;

use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::step::BatchStart;
use plan_machine_kernel::time::Instant;

use super::call::{Call, Env};
use super::outcome::Outcome;
use super::plans::{PlanView, RestoreError, StoredPlans};
use super::timers::PlanTimers;
use super::unknown::UnknownEvent;
use crate::core::description::Description;
use crate::core::id::Id;

/// A machine, compiled or interpreted.
pub trait Machine {
    /// The plans of a session.
    type HeldPlans: Send;

    /// Returns the machine's tables.
    fn description(&self) -> &'static Description;

    /// Returns everything that affects the machine's meaning: a spec in Rust tokens, without docs, prompts, invariants
    /// or scenarios. Machines with different fingerprints return different strings.
    fn meaning(&self) -> &str;

    /// Returns an empty set of plans, for a new session.
    fn empty(&self) -> Self::HeldPlans;

    /// Applies an event to the plans. Only an accepted event changes them.
    ///
    /// # Errors
    ///
    /// If the call names an event that the machine does not have.
    fn step(
        &self,
        held: &mut Self::HeldPlans,
        call: &Call,
        env: &mut Env<'_>,
    ) -> Result<Outcome, UnknownEvent>;

    /// Returns whether a host tool could run now with some arguments, if the state leaves that to alternatives. A
    /// condition that reads the event counts as true. `tool` is the name of an entry for host tools.
    fn could_run(&self, held: &Self::HeldPlans, tool: &str, now: Instant) -> bool;

    /// Returns the state in which a batch of calls would start now.
    fn batch_start(&self, held: &Self::HeldPlans) -> BatchStart;

    /// Returns the session's plans in order of creation, including ended ones.
    fn plans(&self, held: &Self::HeldPlans) -> Vec<PlanView>;

    /// Returns the index of the plan in the slot; machines with many plans have no slot.
    fn slot(&self, held: &Self::HeldPlans) -> Option<usize>;

    /// Returns the timers of the plans.
    fn timers(&self, held: &Self::HeldPlans) -> PlanTimers;

    /// Returns the id of a plan.
    fn plan_id(&self, held: &Self::HeldPlans, plan: usize) -> Option<Id>;

    /// Returns the editions that the session's plans have used.
    fn editions(&self, held: &Self::HeldPlans) -> Editions;

    /// Sets the editions that the session's plans have used: the next step continues counting from them.
    fn set_editions(&self, held: &mut Self::HeldPlans, editions: Editions);

    /// Returns the id of the plan in the slot; machines with many plans have no slot.
    fn slot_plan(&self, held: &Self::HeldPlans) -> Option<Id> {
        let at = self.slot(held)?;
        self.plans(held).get(at).map(|plan| plan.id.clone())
    }

    /// Restores stored plans after checking their types, their bounds, the requirements of their states, and which plan
    /// is in the slot. The check assumes that each stored plan reached its state according to the machine's rules;
    /// `Session::check_stored` compares the plans with a journal.
    ///
    /// # Errors
    ///
    /// If a plan does not match the machine, or if the plans are inconsistent with each other; the error contains the
    /// reasons and, in the first case, the id of the plan.
    fn restore(&self, stored: &StoredPlans) -> Result<Self::HeldPlans, RestoreError>;

    /// Returns whether plans that have ended can still be addressed or listed.
    fn needs_ended(&self) -> bool;

    /// Drops the plans that have left the slot.
    fn forget_ended(&self, held: &mut Self::HeldPlans);

    /// Returns the names of the machine's own tools that the model sees now, sorted.
    fn advertised(&self, held: &Self::HeldPlans) -> Vec<String> {
        let machine = self.description();
        let plans = self.plans(held);
        let mut states: BTreeSet<&str> = match self.slot(held) {
            Some(at) => [&*plans[at].state].into(),
            None => ["none"].into(),
        };
        if machine.is_many() {
            states.extend(plans.iter().map(|plan| &*plan.state));
        }
        let states = states
            .into_iter()
            .filter_map(|name| machine.state_named(name));
        let tools: BTreeSet<&str> = states
            .flat_map(|state| machine.advertised(state))
            .map(|tool| tool.name)
            .collect();
        tools.into_iter().map(str::to_owned).collect()
    }
}
