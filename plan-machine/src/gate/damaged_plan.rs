//! A stored plan that its machine cannot use.

use crate::dynamic::machine::PlanView;

/// A stored plan that does not fit its machine: it lacks a field, or its state is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct DamagedPlan {
    /// Its machine.
    pub machine: &'static str,
    /// The plan, as it is stored.
    pub plan: PlanView,
    /// Everything that is wrong with it.
    pub problems: Vec<String>,
    /// Whether it is in its machine's slot. The machine then accepts no event until the plan is ended.
    pub in_slot: bool,
    /// Its position among the machine's plans.
    pub(super) place: usize,
}
