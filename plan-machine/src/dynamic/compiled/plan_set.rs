//! The plans of one machine in a session.

use crate::core::held::PlanHolder;
use crate::core::lifecycle::Lifecycle;
use crate::core::plan::AnyPlan;

/// What a session holds of a compiled machine: the plans that it steps, and those that have ended.
#[derive(Debug)]
pub struct PlanSet<L: Lifecycle> {
    pub(super) held: L::HeldPlans,
    /// Plans that have left the slot.
    pub(super) ended: Vec<AnyPlan<L>>,
}

impl<L: Lifecycle> PlanSet<L> {
    /// Nothing is held, and nothing has ended.
    pub(super) fn empty() -> Self {
        Self {
            held: L::HeldPlans::default(),
            ended: Vec::new(),
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &AnyPlan<L>> {
        self.ended.iter().chain(self.held.plans())
    }
}
