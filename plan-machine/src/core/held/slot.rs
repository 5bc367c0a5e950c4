//! The slot of a machine with one plan: it holds at most one.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::messages;

use super::hold::{PlanHolder, Target, check_revision, is_signal};
use crate::core::accepted::{AcceptedStep, Address, TouchedPlans};
use crate::core::cx::Cx;
use crate::core::denied::{DenialReason, DeniedStep, Why};
use crate::core::plan::AnyPlan;
use crate::core::seal::Runtime;
use crate::core::steps::{SlotChange, StepEnd, Steps};
use crate::core::types::MachineTypes;

/// The slot of a session: at most one plan is in it.
#[derive(Debug)]
pub struct Slot<L: MachineTypes> {
    plan: Option<AnyPlan<L>>,
    /// The editions that plans have had, including those that have left the slot.
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
    /// Returns the plan.
    #[must_use]
    pub fn plan(&self) -> Option<&AnyPlan<L>> {
        self.plan.as_ref()
    }

    /// Takes the plan out, to continue with its types.
    pub fn take_plan(&mut self) -> Option<AnyPlan<L>> {
        self.plan.take()
    }

    /// Returns the state of the plan.
    #[must_use]
    pub fn state(&self) -> Option<L::State> {
        self.plan.as_ref().map(AnyPlan::state)
    }

    fn state_index(&self) -> u16 {
        self.state().map_or(0, L::state_index)
    }

    /// Steps an event that is not a host tool.
    #[inline]
    pub(in crate::core) fn take_here<'h>(
        &'h mut self,
        event: &mut L::Event,
        cx: &mut Cx<L>,
    ) -> Result<AcceptedStep<'h, L>, DeniedStep> {
        let outside = cx.count_from(self.editions);
        let stepped = match &mut self.plan {
            Some(plan) => L::in_record(plan.record_mut(), event, cx, Runtime::calls()),
            None => L::in_none(event, cx, Runtime::calls()),
        };
        self.editions = cx.count_on(outside);
        match stepped {
            Ok(after) => Ok(self.settle(after)),
            // A denied event has changed nothing: the state is still the same.
            Err(reason) => Err(DeniedStep::new(
                L::MACHINE,
                self.state_index(),
                L::event_index(event),
                reason,
            )),
        }
    }

    /// Updates the slot after an accepted event.
    #[inline]
    fn settle(&mut self, after: StepEnd<L>) -> AcceptedStep<'_, L> {
        let StepEnd { outcome, answer } = after;
        let (ended, plan) = match outcome {
            SlotChange::Stays => match &self.plan {
                Some(plan) => (None, plan),
                None => return AcceptedStep::new(answer.of_nothing(), TouchedPlans::None),
            },
            SlotChange::Starts(record) => (None, &*self.plan.insert(AnyPlan::of(record))),
            SlotChange::Succeeded(record) => {
                let ended = self.plan.take();
                (ended, &*self.plan.insert(AnyPlan::of(record)))
            }
            SlotChange::Released => return AcceptedStep::released(answer, self.plan.take()),
        };
        AcceptedStep {
            ended,
            ..AcceptedStep::new(answer.of(plan.record()), TouchedPlans::One(0))
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
            let why = Why::one(messages::another_plan(held, wanted).into());
            let reason = DenialReason::new(kind, why);
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
}
