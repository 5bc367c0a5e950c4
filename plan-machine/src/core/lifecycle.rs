//! A compiled machine as a whole: its types, its transitions, and the plans of a session.

use super::cx::Cx;
use super::held::PlanHolder;
use super::plan::AnyPlan;
use super::steps::Steps;

/// A compiled machine. Only [`machine!`](crate::machine!) implements this trait.
pub trait Lifecycle: Steps {
    /// The plans of a session: a slot, or any number of plans.
    type HeldPlans: PlanHolder<Self>;
    /// A plan in any state, as an enum with one variant per state.
    type Typed;

    /// Converts a plan to the variant of its state.
    fn typed(plan: AnyPlan<Self>) -> Self::Typed;
}

impl<L: Lifecycle> AnyPlan<L> {
    /// Returns the plan as an enum with one variant per state.
    #[must_use]
    pub fn typed(self) -> L::Typed {
        L::typed(self)
    }
}

impl<L: Lifecycle> Cx<L> {
    /// Starts a batch: the calls of one model response. A call that cannot run in the current state cannot run later in
    /// the batch either.
    pub fn begin_batch(&mut self, held: &L::HeldPlans) {
        self.batch = Some(held.deciding_state());
    }
}
