//! The interface of every holder of plans, and checks that all holders share.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;

use crate::core::accepted::{AcceptedStep, Address};
use crate::core::cx::Cx;
use crate::core::denied::{DenialReason, DeniedStep};
use crate::core::description::EventKind;
use crate::core::plan::AnyPlan;
use crate::core::seal::Runtime;
use crate::core::steps::{StepEnd, Steps};
use crate::core::types::MachineTypes;

/// The plan that an event goes to.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The state `none`: there is no plan, or no plan accepts the event.
    NoPlan,
    /// The plan at this position.
    One(usize),
    /// Each of the plans at these positions.
    Each(Vec<usize>),
}

/// A holder of plans.
pub trait PlanHolder<L: MachineTypes>: Default + Send {
    /// Returns the current plans.
    fn plans(&self) -> &[AnyPlan<L>];

    /// Returns the editions that the session's plans have used.
    #[doc(hidden)]
    fn editions(&self) -> Editions;

    /// Sets the editions that the session's plans have used.
    #[doc(hidden)]
    fn set_editions(&mut self, editions: Editions, from: Runtime<L>);

    /// Restores a stored plan.
    #[doc(hidden)]
    fn put_back(&mut self, plan: AnyPlan<L>, from: Runtime<L>);

    /// Returns the index of the state that determines which host tools may run.
    #[doc(hidden)]
    fn deciding_state(&self) -> u16;

    /// Finds the plan that an event goes to. A plan that the event is addressed to may still deny the event.
    #[doc(hidden)]
    fn find(&self, event: u16, address: &Address) -> Result<Target, DeniedStep>;

    /// Applies an event to the target that `find` returned.
    #[doc(hidden)]
    fn take<'h>(
        &'h mut self,
        target: Target,
        event: &mut L::Event,
        cx: &mut Cx<L>,
        from: Runtime<L>,
    ) -> Result<AcceptedStep<'h, L>, DeniedStep>;

    /// Fires a timer of the plan at a position; there must be a plan at that position. If no transition can be taken,
    /// the timer is marked as spent, and nothing else changes.
    ///
    /// # Errors
    ///
    /// If the timer is not running.
    #[doc(hidden)]
    fn fire<'h>(
        &'h mut self,
        at: usize,
        timer: u16,
        cx: &mut Cx<L>,
        from: Runtime<L>,
    ) -> Result<AcceptedStep<'h, L>, DenialReason>;

    /// Starts the timers of the plan at a position. The plan was stored before its state had these timers.
    #[doc(hidden)]
    fn start_timers(&mut self, at: usize, now: Instant, from: Runtime<L>);
}

/// Fires a timer of a plan; `None` if no transition can be taken. In that case, the timer is only marked as spent.
pub(super) fn fire<L: Steps>(
    plan: &mut AnyPlan<L>,
    timer: u16,
    cx: &mut Cx<L>,
) -> Result<Option<StepEnd<L>>, DenialReason> {
    let record = plan.record_mut();
    // A timer that fires is over. Taking its transition may start it again.
    if !record.spend_timer(timer) {
        return Err(DenialReason::one(
            DenialKind::Stale,
            messages::TIMER_NOT_RUNNING,
        ));
    }
    if !record.takes_timer(timer) {
        return Ok(None);
    }
    Ok(L::fire(record, timer, cx, Runtime::calls()).ok())
}

/// Checks the revisions of the plans that an event is addressed to. Each must be the revision that the sender has seen.
pub(super) fn check_revision<'h, L: MachineTypes>(
    plans: impl IntoIterator<Item = &'h AnyPlan<L>>,
    event: u16,
    address: &Address,
) -> Result<(), DeniedStep> {
    let Some(expected) = address.expect_revision else {
        return Ok(());
    };
    let stale = |state, message: String| {
        let reason = DenialReason::one(DenialKind::Stale, message);
        Err(DeniedStep::new(L::MACHINE, state, event, reason))
    };
    let mut plans = plans.into_iter().peekable();
    if plans.peek().is_none() {
        return stale(0, messages::revision_of_nothing(expected));
    }
    for plan in plans {
        if plan.revision() != expected {
            let message = messages::another_revision(expected, plan.id().as_str(), plan.revision());
            return stale(L::state_index(plan.state()), message);
        }
    }
    Ok(())
}

pub(super) fn is_signal<L: MachineTypes>(event: u16) -> bool {
    matches!(L::MACHINE.event(event).kind, EventKind::Signal)
}

pub(super) fn is_each<L: MachineTypes>(event: u16) -> bool {
    matches!(
        L::MACHINE.event(event).kind,
        EventKind::Command { each: true, .. }
    )
}
