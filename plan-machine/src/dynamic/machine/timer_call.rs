//! The calls that fire timers.

use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::{CatchUp, DueTimer};

use super::any::Machine;
use super::call::{Call, CallKind};
use super::outcome::Outcome;
use crate::core::description::Description;
use crate::core::id::Id;

/// A call that fires a timer of a plan.
pub(crate) struct TimerCall {
    /// The instant of the step.
    pub(crate) at: Instant,
    pub(crate) call: Call,
    machine: usize,
    plan: Id,
}

impl TimerCall {
    /// Returns the call that fires a timer of a plan; `None` if the machine has no such timer.
    pub(crate) fn new(
        machine: &'static Description,
        plan: Id,
        due: &DueTimer,
        catch_up: &mut CatchUp,
    ) -> Option<Self> {
        let event = machine.timers().nth(usize::from(due.timer))?;
        let name = machine.event(event).name;
        let mut call = Call::new(CallKind::Event(name.into())).to(plan.as_str());
        let late = catch_up.fire(due.machine, plan.as_str(), due.timer);
        call.with = late.payload();
        Some(Self {
            at: due.at,
            call,
            machine: due.machine,
            plan,
        })
    }

    /// Returns the call that fires the next due timer of a machine, if there is one.
    pub(crate) fn next<M: Machine>(
        machine: &M,
        held: &M::HeldPlans,
        catch_up: &mut CatchUp,
    ) -> Option<Self> {
        let running = machine.timers(held).running.into_iter();
        let due = catch_up.next_due(running.map(|timer| timer.of_machine(0)))?;
        let plan = machine.plan_id(held, due.plan)?;
        Self::new(machine.description(), plan, &due, catch_up)
    }

    /// Records the result of the call. If another plan has succeeded the plan, the timers that have fired also count as
    /// fired for the successor.
    pub(crate) fn fired(&self, outcome: &Outcome, catch_up: &mut CatchUp) {
        let Outcome::Accepted(acceptance) = outcome else {
            return;
        };
        let begun = acceptance.plans.iter();
        for begun in begun.filter(|begun| begun.previous.as_ref() == Some(&self.plan)) {
            catch_up.succeed(self.machine, self.plan.as_str(), begun.id.as_str());
        }
    }
}
