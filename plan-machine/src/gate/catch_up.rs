//! Fires the timers that are due. A gate does this before it considers anything else, so that an expired approval is
//! refused even if no process was running at its deadline.

use std::collections::BTreeSet;

use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::{self, CatchUp, DueTimer};

use super::event_context::EventContext;
use super::state::Gate;
use crate::core::id::Id;
use crate::dynamic::machine::{Call, CallKind, TimerCall};

impl Gate {
    /// Starts the timers of plans that were stored before their states had timers. Then fires the timers that are due
    /// by an instant, in the order of their due instants; each of them is a step at its own instant. Returns the
    /// number of steps, including those that started timers. Every function that decides on a call or sends an event
    /// does this first.
    ///
    /// One catch-up fires each timer of a plan at most once. A timer that has fired and starts again in the same
    /// catch-up starts at the given instant, so that a timer of one second fires once after a year of sleep.
    pub fn catch_up(&mut self, now: Instant) -> usize {
        if !self.machine_set.has_timers() {
            return 0;
        }
        let now = self.not_before(now);
        let steps = self.start_missing(now) + self.fire_due(now);
        self.clock = Some(now);
        steps
    }

    /// Fires the timers that are due by an instant; returns the number of steps.
    fn fire_due(&mut self, now: Instant) -> usize {
        let mut steps = 0;
        let mut catch_up = CatchUp::new(now);
        // A timer that is denied is still due, so its plan is not asked again.
        let mut stuck = BTreeSet::new();
        loop {
            let running = self.running().into_iter();
            let is_stuck = |due: &DueTimer| stuck.contains(&(due.machine, self.plan_of(due)));
            let running = running.filter(|due| stuck.is_empty() || !is_stuck(due));
            let Some(due) = catch_up.next_due(running) else {
                return steps;
            };
            let plan = self.plan_of(&due);
            if self.fire(&due, &mut catch_up) {
                steps += 1;
            } else {
                stuck.insert((due.machine, plan));
            }
        }
    }

    /// Returns the instant at which the next timer is due; `None` if no timer is running.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        if !self.machine_set.has_timers() {
            return None;
        }
        self.running().into_iter().map(|timer| timer.at).min()
    }

    /// Returns the time of the last step, which is the earliest possible time of the next step; `None` if no machine
    /// has timers, or if there has been no step yet.
    #[doc(hidden)]
    #[must_use]
    pub fn clock(&self) -> Option<Instant> {
        self.clock
    }

    /// Sets the time of the last step of a stored session.
    #[doc(hidden)]
    pub fn set_clock(&mut self, clock: Option<Instant>) {
        self.clock = clock.filter(|_| self.machine_set.has_timers());
    }

    /// Returns an instant that is not before the last step: the time of a session with timers never goes back.
    pub(super) fn not_before(&self, now: Instant) -> Instant {
        self.clock.map_or(now, |clock| clock.max(now))
    }

    fn running(&self) -> Vec<DueTimer> {
        let machines = self.machines.iter().enumerate();
        let all = machines.flat_map(|(machine, running)| {
            let timers = running.timers().running.into_iter();
            timers.map(move |timer| timer.of_machine(machine))
        });
        all.collect()
    }

    /// Returns the id of the plan that a timer belongs to.
    fn plan_of(&self, due: &DueTimer) -> Option<Id> {
        self.machines[due.machine].plan_id(due.plan)
    }

    /// Starts the timers of plans that were stored before their states had timers.
    fn start_missing(&mut self, now: Instant) -> usize {
        let mut started = 0;
        for at in 0..self.machines.len() {
            let plans = self.machines[at].timers().missing;
            let plans = plans
                .into_iter()
                .filter_map(|plan| self.machines[at].plan_id(plan));
            for plan in plans.collect::<Vec<Id>>() {
                let call = Call::new(CallKind::Event(timers::START.into())).to(plan.as_str());
                let outcome = self.step(at, &call, &EventContext::at(now));
                started += usize::from(outcome.is_accepted());
            }
        }
        started
    }

    /// Fires a timer; returns whether there was a step.
    fn fire(&mut self, due: &DueTimer, catch_up: &mut CatchUp) -> bool {
        let machine = &self.machines[due.machine];
        let call = self
            .plan_of(due)
            .and_then(|plan| TimerCall::new(machine.description(), plan, due, catch_up));
        let Some(timer) = call else {
            return false;
        };
        let outcome = self.step(due.machine, &timer.call, &EventContext::at(due.at));
        timer.fired(&outcome, catch_up);
        outcome.is_accepted()
    }
}
