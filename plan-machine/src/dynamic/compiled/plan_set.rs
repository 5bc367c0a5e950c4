//! The plans of one machine in a session.

use crate::core::held::PlanHolder;
use crate::core::lifecycle::Lifecycle;
use crate::core::plan::AnyPlan;

/// The plans of a compiled machine in a session: those that events can still change, and those that
/// have ended.
#[derive(Debug)]
pub struct PlanSet<L: Lifecycle> {
    pub(super) held: L::HeldPlans,
    /// The plans that have left the slot.
    pub(super) ended: Vec<AnyPlan<L>>,
}

impl<L: Lifecycle> PlanSet<L> {
    /// Returns a set without any plans.
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
