//! A stored plan that its machine cannot use.

use crate::dynamic::machine::PlanView;

/// A stored plan that does not match its machine: for example, it lacks a field, or its state is unknown.
#[derive(Clone, Debug, PartialEq)]
pub struct DamagedPlan {
    /// The name of the plan's machine.
    pub machine: &'static str,
    /// The plan, as stored.
    pub plan: PlanView,
    /// All problems found.
    pub problems: Vec<String>,
    /// Whether the plan is in its machine's slot. If so, the machine accepts no event until the plan is ended.
    pub in_slot: bool,
    /// The plan's index among the stored plans of the machine.
    pub(super) place: usize,
}
