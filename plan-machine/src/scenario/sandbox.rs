//! A session of one machine in memory, with reproducible ids and a clock that moves only when its user moves it.

use plan_machine_kernel::json::Object;
use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::{CatchUp, Period};

use crate::core::id::Id;
use crate::dynamic::machine::{Call, Env, Machine, Outcome, TimerCall};

/// A timer that fired, and the result.
pub(crate) type FiredTimer = (TimerCall, Outcome);

/// A session whose plan ids are `plan-1`, `plan-2`, …
pub(crate) struct Sandbox<'m, M: Machine> {
    pub(crate) machine: &'m M,
    pub(crate) held: M::HeldPlans,
    /// The time of the last step, in a session whose machine has timers.
    clock: Instant,
}

impl<'m, M: Machine> Sandbox<'m, M> {
    pub(crate) fn new(machine: &'m M) -> Self {
        Self {
            machine,
            held: machine.empty(),
            clock: START_OF_TIME,
        }
    }

    /// Fires the timers that are due by the time of an event, and then processes the event.
    pub(crate) fn step(&mut self, call: &Call, context: &Object, at: Option<Instant>) -> Outcome {
        let mut now = at.unwrap_or(self.clock);
        if self.has_timers() {
            // If the machine has timers, the time never goes back.
            now = now.max(self.clock);
            self.catch_up(now);
        }
        self.at(now, call, context)
    }

    /// Lets time pass; returns the timers that became due.
    pub(crate) fn wait(&mut self, period: Period) -> Vec<FiredTimer> {
        self.wait_until(period.after(self.clock))
    }

    /// Lets time pass until an instant, which may be in the past; returns the timers that became due.
    pub(crate) fn wait_until(&mut self, until: Instant) -> Vec<FiredTimer> {
        if !self.has_timers() {
            return Vec::new();
        }
        self.catch_up(until.max(self.clock))
    }

    fn has_timers(&self) -> bool {
        self.machine.description().timers().next().is_some()
    }

    fn catch_up(&mut self, until: Instant) -> Vec<FiredTimer> {
        let mut fired = Vec::new();
        let mut catch_up = CatchUp::new(until);
        while let Some(due) = TimerCall::next(self.machine, &self.held, &mut catch_up) {
            let outcome = self.at(due.at, &due.call, &Object::new());
            due.fired(&outcome, &mut catch_up);
            // A timer that does not fire would stay the next one forever.
            let is_stuck = !outcome.is_accepted();
            fired.push((due, outcome));
            if is_stuck {
                break;
            }
        }
        self.clock = until;
        fired
    }

    fn at(&mut self, now: Instant, call: &Call, context: &Object) -> Outcome {
        let number = self.machine.plans(&self.held).len() + 1;
        let mut env = Env {
            now,
            new_id: Id::from(format!("plan-{number}")),
            context,
            host_tools: None,
        };
        let stepped = self.machine.step(&mut self.held, call, &mut env);
        stepped.unwrap_or_else(|unknown| panic!("{unknown}"))
    }
}
