//! The slot of a session, for a machine with at most one plan.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;

use super::hold::{self, PlanHolder, Target, check_revision, is_signal};
use crate::core::accepted::{AcceptedStep, Address};
use crate::core::cx::Cx;
use crate::core::denied::{DenialReason, DeniedStep};
use crate::core::plan::AnyPlan;
use crate::core::reply::PendingReply;
use crate::core::seal::Runtime;
use crate::core::steps::{SlotChange, StepEnd, Steps};
use crate::core::types::MachineTypes;

/// The slot of a session, which contains at most one plan.
#[derive(Debug)]
pub struct Slot<L: MachineTypes> {
    plan: Option<AnyPlan<L>>,
    /// The editions that plans have used, including plans that have left the slot.
    editions: Editions,
}

impl<L: MachineTypes> Default for Slot<L> {
    fn default() -> Self {
        Self {
            plan: None,
            editions: Editions::default(),
        }
    }
}

impl<L: MachineTypes> From<AnyPlan<L>> for Slot<L> {
    fn from(plan: AnyPlan<L>) -> Self {
        Self {
            editions: Editions::up_to(L::REVIEWS.then(|| plan.edition())),
            plan: Some(plan),
        }
    }
}

impl<L: Steps> Slot<L> {
    /// Returns the plan in the slot.
    #[must_use]
    pub fn plan(&self) -> Option<&AnyPlan<L>> {
        self.plan.as_ref()
    }

    /// Takes the plan out of the slot, so that the caller can continue with typed plans.
    pub fn take_plan(&mut self) -> Option<AnyPlan<L>> {
        self.plan.take()
    }

    /// Returns the state of the plan in the slot.
    #[must_use]
    pub fn state(&self) -> Option<L::State> {
        self.plan.as_ref().map(AnyPlan::state)
    }

    fn state_index(&self) -> u16 {
        self.state().map_or(0, L::state_index)
    }

    /// Applies an event that is not a host tool. Most events only change the plan and reply with the name of its state
    /// or with one of its strings: those are handled here, and so are denials. Everything else is handled in another
    /// function, so that this one stays small enough to inline.
    #[inline]
    pub(in crate::core) fn take_owned(
        &mut self,
        mut event: L::Event,
        cx: &mut Cx<L>,
    ) -> Result<AcceptedStep<'_, L>, DeniedStep> {
        if self.plan.is_none() {
            return self.begin(event, cx);
        }
        let after = match self.stepped(&mut event, cx) {
            Ok(after) => after,
            Err(reason) => {
                let (state, at) = (self.state_index(), L::event_index(&event));
                L::discard(event);
                return Err(DeniedStep::new(L::MACHINE, state, at, reason));
            }
        };
        if !after.owns_nothing() {
            return Ok(self.end(event, after));
        }
        L::discard(event);
        match &self.plan {
            Some(plan) => {
                let accepted = AcceptedStep::lent(&after.answer, plan);
                // The result owns nothing, and dropping it would only check this a second time.
                std::mem::forget(after);
                Ok(accepted)
            }
            None => Ok(AcceptedStep::of_none(after.answer)),
        }
    }

    #[inline(never)]
    fn begin(
        &mut self,
        mut event: L::Event,
        cx: &mut Cx<L>,
    ) -> Result<AcceptedStep<'_, L>, DeniedStep> {
        self.take_here(&mut event, cx)
    }

    #[inline(never)]
    fn end(&mut self, event: L::Event, after: StepEnd<L>) -> AcceptedStep<'_, L> {
        L::discard(event);
        self.settle(after)
    }

    /// Applies an event that is not a host tool, for a caller that keeps the event.
    fn take_here(
        &mut self,
        event: &mut L::Event,
        cx: &mut Cx<L>,
    ) -> Result<AcceptedStep<'_, L>, DeniedStep> {
        match self.stepped(event, cx) {
            Ok(after) => Ok(self.settle(after)),
            // A denied event has changed nothing: the plan is still in the state that denied the event.
            Err(reason) => {
                let (state, event) = (self.state_index(), L::event_index(event));
                Err(DeniedStep::new(L::MACHINE, state, event, reason))
            }
        }
    }

    /// Applies an event to the plan or to `none`; uses the session's editions if the machine needs them.
    #[inline]
    fn stepped(
        &mut self,
        event: &mut L::Event,
        cx: &mut Cx<L>,
    ) -> Result<StepEnd<L>, DenialReason> {
        let outside = L::COUNTS.then(|| cx.count_from(self.editions));
        let stepped = match &mut self.plan {
            Some(plan) => L::in_record(plan.record_mut(), event, cx, Runtime::calls()),
            None => L::in_none(event, cx, Runtime::calls()),
        };
        if let Some(outside) = outside {
            self.editions = cx.count_on(outside);
        }
        stepped
    }

    /// Updates the slot after an accepted event.
    fn settle(&mut self, after: StepEnd<L>) -> AcceptedStep<'_, L> {
        let StepEnd { outcome, answer } = after;
        let (ended, plan) = match outcome {
            SlotChange::Stays => match &self.plan {
                Some(plan) => return AcceptedStep::of_slot(answer, plan),
                None => return AcceptedStep::of_none(answer),
            },
            SlotChange::Released => {
                return match self.plan.take() {
                    Some(ended) => AcceptedStep::ended_by(answer, ended, None),
                    None => AcceptedStep::of_none(answer),
                };
            }
            SlotChange::Starts(record) => (None, &*self.plan.insert(AnyPlan::of(record))),
            SlotChange::Succeeded(record) => {
                let ended = self.plan.take();
                (ended, &*self.plan.insert(AnyPlan::of(record)))
            }
        };
        match ended {
            Some(ended) => AcceptedStep::ended_by(answer, ended, Some(plan)),
            None => AcceptedStep::of_slot(answer, plan),
        }
    }
}

impl<L: Steps> PlanHolder<L> for Slot<L> {
    fn plans(&self) -> &[AnyPlan<L>] {
        self.plan.as_slice()
    }

    fn editions(&self) -> Editions {
        self.editions
    }

    fn set_editions(&mut self, editions: Editions, _: Runtime<L>) {
        self.editions = editions;
    }

    fn put_back(&mut self, plan: AnyPlan<L>, _: Runtime<L>) {
        self.plan = Some(plan);
    }

    fn deciding_state(&self) -> u16 {
        self.state_index()
    }

    fn find(&self, event: u16, address: &Address) -> Result<Target, DeniedStep> {
        let held = self.plan.as_ref().map(|plan| plan.id().as_str());
        if let Some(wanted) = address.plan_id.as_deref()
            && held != Some(wanted)
        {
            let kind = if is_signal::<L>(event) {
                DenialKind::Stale
            } else {
                DenialKind::NotFound
            };
            let reason = DenialReason::one(kind, messages::another_plan(held, wanted));
            return Err(DeniedStep::new(
                L::MACHINE,
                self.state_index(),
                event,
                reason,
            ));
        }
        check_revision(&self.plan, event, address)?;
        Ok(self
            .plan
            .as_ref()
            .map_or(Target::NoPlan, |_| Target::One(0)))
    }

    fn take<'h>(
        &'h mut self,
        _target: Target,
        event: &mut L::Event,
        cx: &mut Cx<L>,
        _: Runtime<L>,
    ) -> Result<AcceptedStep<'h, L>, DeniedStep> {
        self.take_here(event, cx)
    }

    fn fire<'h>(
        &'h mut self,
        _at: usize,
        timer: u16,
        cx: &mut Cx<L>,
        _: Runtime<L>,
    ) -> Result<AcceptedStep<'h, L>, DenialReason> {
        let Some(plan) = &mut self.plan else {
            return Ok(AcceptedStep::of_none(PendingReply::State));
        };
        let outside = L::COUNTS.then(|| cx.count_from(self.editions));
        let fired = hold::fire(plan, timer, cx);
        if let Some(outside) = outside {
            self.editions = cx.count_on(outside);
        }
        Ok(self.settle(fired?.unwrap_or_else(|| StepEnd::stays(PendingReply::State))))
    }

    fn start_timers(&mut self, _at: usize, now: Instant, _: Runtime<L>) {
        if let Some(plan) = &mut self.plan {
            plan.record_mut().start_missing(now);
        }
    }
}
