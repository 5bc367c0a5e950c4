//! The trait of machines of every kind.

use std::collections::BTreeSet;

use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::step::BatchStart;

use super::call::{Call, Env};
use super::outcome::Outcome;
use super::plans::{PlanView, RestoreError, StoredPlans};
use super::unknown::UnknownEvent;
use crate::core::description::Description;
use crate::core::id::Id;

/// A machine, compiled or interpreted.
pub trait Machine {
    /// What a session holds of it.
    type HeldPlans: Send;

    /// Its tables.
    fn description(&self) -> &'static Description;

    /// Everything that affects its meaning, as a spec in Rust's tokens: no docs, prompts, invariants and
    /// scenarios. Machines of different fingerprints have different texts.
    fn meaning(&self) -> &str;

    /// What a new session holds: nothing.
    fn empty(&self) -> Self::HeldPlans;

    /// Steps what is held. An accepted event changes it, nothing else does.
    ///
    /// # Errors
    ///
    /// Where the call names an event that the machine does not have.
    fn step(
        &self,
        held: &mut Self::HeldPlans,
        call: &Call,
        env: &mut Env<'_>,
    ) -> Result<Outcome, UnknownEvent>;

    /// The state in which a batch of calls begins now.
    fn batch_start(&self, held: &Self::HeldPlans) -> BatchStart;

    /// The session's plans in the order of creation, ended ones included.
    fn plans(&self, held: &Self::HeldPlans) -> Vec<PlanView>;

    /// The place of the plan in the slot; machines of many have none.
    fn slot(&self, held: &Self::HeldPlans) -> Option<usize>;

    /// The editions that plans of the session have had.
    fn editions(&self, held: &Self::HeldPlans) -> Editions;

    /// Says which editions plans of the session have had: the next step counts from there.
    fn set_editions(&self, held: &mut Self::HeldPlans, editions: Editions);

    /// The id of the plan in the slot; machines of many have none.
    fn slot_plan(&self, held: &Self::HeldPlans) -> Option<Id> {
        let at = self.slot(held)?;
        self.plans(held).get(at).map(|plan| plan.id.clone())
    }

    /// Puts stored plans back: types, bounds, what their states need, and which plan is in the slot are checked
    /// against the machine. That each plan got into its state by the machine's rules is taken from where they were
    /// stored; `Session::check_stored` compares them with a journal.
    ///
    /// # Errors
    ///
    /// Names the plan that does not fit, and why.
    fn restore(&self, stored: &StoredPlans) -> Result<Self::HeldPlans, RestoreError>;

    /// Whether plans that have ended can still be addressed or listed.
    fn needs_ended(&self) -> bool;

    /// Lets go of the plans that have left the slot.
    fn forget_ended(&self, held: &mut Self::HeldPlans);

    /// The machine's own tools that the model sees now, sorted by name.
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
