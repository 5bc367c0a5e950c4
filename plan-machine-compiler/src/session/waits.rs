//! Time that passes in a session, and the timers that become due.

use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::{CatchUp, DueTimer, Period};

use super::sandbox::SessionSandbox;
use crate::model::EventId;
use crate::semantics::{Outcome, Sandbox, not_next, only_next};

impl SessionSandbox<'_> {
    /// Lets time pass; returns the results of the timers that became due, with the indices of their machines.
    pub fn wait(&mut self, period: Period) -> Vec<(usize, Outcome)> {
        self.wait_until(period.after(self.clock()))
    }

    fn clock(&self) -> Instant {
        let clocks = self.machines.iter().map(Sandbox::clock);
        clocks.max().unwrap_or(START_OF_TIME)
    }

    /// Returns the time at which an event happens, given the time that the event states, if any.
    pub(super) fn now(&self, at: Option<Instant>) -> Instant {
        match at {
            Some(at) if self.has_timers() => at.max(self.clock()),
            Some(at) => at,
            None => self.clock(),
        }
    }

    /// Fires the timers that are due before an event at this time. In a session with timers, the clock never goes back.
    pub fn catch_up(&mut self, at: Option<Instant>) {
        if let Some(at) = at.filter(|_| self.has_timers()) {
            self.wait_until(at.max(self.clock()));
        }
    }

    pub(super) fn has_timers(&self) -> bool {
        let mut members = self.session.members.iter();
        members.any(|member| member.machine.has_timers())
    }

    fn wait_until(&mut self, until: Instant) -> Vec<(usize, Outcome)> {
        let mut outcomes = Vec::new();
        let mut catch_up = CatchUp::new(until);
        while let Some(due) = catch_up.next_due(self.running())
            && self.takes_steps(1)
        {
            outcomes.push((due.machine, self.fire(&due, &mut catch_up)));
        }
        for machine in &mut self.machines {
            machine.set_clock(until);
        }
        outcomes
    }

    /// Returns whether a timer fires before an event at this instant.
    pub(super) fn is_due(&self, at: Instant) -> bool {
        self.machines.iter().any(|machine| machine.is_due(at))
    }

    /// Returns the time that has passed since an earlier point in the same session.
    pub(super) fn waited_since(&self, before: &Self) -> Option<Period> {
        let machines = self.machines.iter().zip(&before.machines);
        machines
            .filter_map(|(after, before)| after.waited_since(before))
            .max()
    }

    fn running(&self) -> Vec<DueTimer> {
        let machines = self.machines.iter().enumerate();
        machines
            .flat_map(|(at, machine)| machine.running(at))
            .collect()
    }

    fn fire(&mut self, due: &DueTimer, catch_up: &mut CatchUp) -> Outcome {
        self.step_of(due.machine, |machine, number| {
            machine.fire(due, catch_up, number)
        })
    }

    /// Waits until a timer is due and fires it, if it is the next timer to fire.
    pub(super) fn await_timer(&mut self, at: usize, timer: EventId) -> Outcome {
        let place = self.machine(at).timer_place(timer);
        let mut running = self.running();
        running.sort();
        let is_meant = |due: &&DueTimer| due.machine == at && due.timer == place;
        let Some(due) = only_next(&running).filter(is_meant).cloned() else {
            return Outcome::Denied(not_next(self.held(at).leaf()));
        };
        for machine in &mut self.machines {
            machine.set_clock(due.at);
        }
        self.fire(&due, &mut CatchUp::new(due.at))
    }
}
