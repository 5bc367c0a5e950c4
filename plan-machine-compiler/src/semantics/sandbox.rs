//! A session in memory, for scenarios, for `plan-machine run`, and for tests. The ids are reproducible, and the clock
//! moves only when the caller moves it.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::step::{BatchStart, START_OF_TIME};
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::{CatchUp, DueTimer, Late, Period};

use super::allowance::Allowance;
use super::batch::batch_start;
use super::event::{Call, CallKind, Env, STEP_BUDGET};
use super::outcome::{Denial, Outcome};
use super::record::HeldRecords;
use super::step::step;
use crate::model::{Checked, EventId, Machine, StateId};

/// A session whose ids are `plan-1`, `plan-2`, …
#[derive(Clone, Debug)]
pub struct Sandbox<'m> {
    machine: &'m Checked<Machine>,
    held: HeldRecords,
    budget: usize,
    allowance: Allowance,
    /// The current time, unless an event states another time.
    clock: Instant,
}

/// The context of one event.
#[derive(Clone, Debug, Default)]
pub struct EventContext {
    /// The context supplied by the host.
    pub context: Object,
    /// The time of the event, if it differs from the current time of the session.
    pub at: Option<Instant>,
}

impl<'m> Sandbox<'m> {
    /// Creates an empty session.
    #[must_use]
    pub fn new(machine: &'m Checked<Machine>) -> Self {
        Self {
            machine,
            held: HeldRecords::default(),
            budget: usize::MAX,
            allowance: Allowance::UNLIMITED,
            clock: START_OF_TIME,
        }
    }

    /// Limits the number of bytes that all steps together may build; a step that would exceed the limit is denied.
    #[must_use]
    pub fn with_budget(mut self, bytes: usize) -> Self {
        self.budget = bytes;
        self
    }

    /// Limits the number of timers that fire, of steps that are [taken](Self::takes_steps), and of parts of expressions
    /// that the steps evaluate.
    pub(crate) fn with_allowance(mut self, allowance: Allowance) -> Self {
        self.set_allowance(allowance);
        self
    }

    pub(crate) fn set_allowance(&mut self, allowance: Allowance) {
        self.allowance = allowance;
    }

    /// Returns the remaining work that may be done.
    pub(crate) fn allowance(&self) -> Allowance {
        self.allowance
    }

    /// Subtracts steps from those that may be taken; returns `false` if no more steps may be taken.
    pub(crate) fn takes_steps(&mut self, steps: usize) -> bool {
        self.allowance.spend(steps, self.held.records.len())
    }

    /// Returns the number of bytes that the steps may still build.
    #[must_use]
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// Returns the machine.
    #[must_use]
    pub fn machine(&self) -> &'m Checked<Machine> {
        self.machine
    }

    /// Returns the held records.
    #[must_use]
    pub fn held(&self) -> &HeldRecords {
        &self.held
    }

    /// Returns the start of a batch that begins in the current state.
    #[must_use]
    pub fn batch_start(&self) -> BatchStart {
        batch_start(self.machine, &self.held)
    }

    /// Returns the current time, which never goes back.
    #[must_use]
    pub fn clock(&self) -> Instant {
        self.clock
    }

    /// Processes one event, after firing the timers that are due by the time of the event.
    ///
    /// If the event is a timer, the session first waits until the timer is due. This succeeds only if no other timer is
    /// due by that time.
    pub fn step(&mut self, call: &Call, around: &EventContext) -> Outcome {
        if let CallKind::Event(event) = call.what
            && self.machine.timer(event).is_some()
        {
            return self.await_timer(call, event);
        }
        self.catch_up(around.at.unwrap_or(self.clock));
        self.step_numbered(call, around, self.next_number())
    }

    /// Lets time pass; returns the results of the timers that became due.
    pub fn wait(&mut self, period: Period) -> Vec<Outcome> {
        self.catch_up(period.after(self.clock))
    }

    /// Fires the timers that are due by an instant, the earliest first, as long as steps may be taken.
    fn catch_up(&mut self, until: Instant) -> Vec<Outcome> {
        if !self.machine.has_timers() {
            return Vec::new();
        }
        let mut outcomes = Vec::new();
        let mut catch_up = CatchUp::new(until.max(self.clock));
        while let Some(due) = catch_up.next_due(self.running(0))
            && self.takes_steps(1)
        {
            outcomes.push(self.fire(&due, &mut catch_up, self.next_number()));
        }
        self.set_clock(until);
        outcomes
    }

    /// Returns the time that has passed since an earlier point in the same session.
    pub(crate) fn waited_since(&self, before: &Self) -> Option<Period> {
        let [now, then] = [self.clock, before.clock].map(Instant::since_1970);
        Period::of_seconds(now.saturating_sub(then).as_secs())
    }

    /// Returns the plan, the number and the remaining time of each timer that is running.
    pub(crate) fn time_left(&self) -> Vec<(usize, u16, Duration)> {
        let now = self.clock.since_1970();
        let left = |due: DueTimer| {
            let left = due.at.since_1970().saturating_sub(now);
            (due.plan, due.timer, left)
        };
        self.running(0).into_iter().map(left).collect()
    }

    /// Returns whether a timer fires before an event at this instant.
    pub(crate) fn is_due(&self, at: Instant) -> bool {
        self.running(0).iter().any(|due| due.at <= at)
    }

    /// Moves the clock forward.
    pub(crate) fn set_clock(&mut self, now: Instant) {
        self.clock = self.clock.max(now);
    }

    /// Returns the timers that are running; `machine` is the index of this machine in its session.
    pub(crate) fn running(&self, machine: usize) -> Vec<DueTimer> {
        let records = self.held.records.iter().enumerate();
        let timers = records.flat_map(|(plan, record)| {
            (0..).zip(&record.timers).filter_map(move |(timer, state)| {
                let at = state.due()?;
                Some(DueTimer {
                    at,
                    machine,
                    plan,
                    timer,
                })
            })
        });
        timers.collect()
    }

    /// Fires a timer at the instant at which it is due; a new record gets this number in its id.
    pub(crate) fn fire(
        &mut self,
        due: &DueTimer,
        catch_up: &mut CatchUp,
        number: usize,
    ) -> Outcome {
        let id = Arc::clone(&self.held.records[due.plan].id);
        let Some(event) = self.machine.timer_at(due.timer) else {
            let message = "this machine has no such timer";
            return Outcome::Denied(Denial::new(DenialKind::Stale, StateId::NONE, message));
        };
        let late = catch_up.fire(due.machine, &id, due.timer);
        let mut call = Call::new(CallKind::Event(event));
        call.plan_id = Some(id.to_string());
        let outcome = self.at(due.at, &call, &Object::new(), (number, Some(late)));
        let started = self.held.records.last();
        if let Some(started) = started.filter(|record| record.previous.as_ref() == Some(&id)) {
            catch_up.succeed(due.machine, &id, &started.id);
        }
        outcome
    }

    /// Waits until a timer is due and fires it, if it is the next timer to fire.
    fn await_timer(&mut self, call: &Call, event: EventId) -> Outcome {
        let place = self.machine.timer_place(event);
        let mut running = self.running(0);
        running.sort();
        let is_meant = |due: &&DueTimer| {
            let id = &*self.held.records[due.plan].id;
            due.timer == place && call.plan_id.as_deref().is_none_or(|wanted| wanted == id)
        };
        let Some(due) = only_next(&running).filter(is_meant).cloned() else {
            return Outcome::Denied(not_next(self.held.leaf()));
        };
        self.set_clock(due.at);
        self.fire(&due, &mut CatchUp::new(due.at), self.next_number())
    }

    /// Returns the number in the id of the next record. A denied step must not use up an id, so ids are derived from
    /// the number of existing records.
    fn next_number(&self) -> usize {
        self.held.records.len() + 1
    }

    /// Processes one event; a new record gets this number in its id. The machines of a session
    /// share one sequence of numbers.
    pub fn step_numbered(&mut self, call: &Call, around: &EventContext, number: usize) -> Outcome {
        let now = match around.at {
            Some(at) if self.machine.has_timers() => at.max(self.clock),
            at => at.unwrap_or(self.clock),
        };
        self.at(now, call, &around.context, (number, None))
    }

    fn at(
        &mut self,
        now: Instant,
        call: &Call,
        context: &Object,
        (number, late): (usize, Option<Late>),
    ) -> Outcome {
        let mut new_id = || Arc::from(format!("plan-{number}"));
        let budget = self.budget.min(STEP_BUDGET);
        let mut env = Env {
            budget: Cell::new(budget),
            evaluations: Cell::new(self.allowance.evaluations()),
            now,
            new_id: &mut new_id,
            late,
            context,
            host_tools: None,
        };
        let outcome = step(self.machine, &mut self.held, call, &mut env);
        self.budget -= budget - env.budget.get();
        self.allowance.set_evaluations(env.evaluations.get());
        outcome
    }
}

/// Returns the next timer to fire; `None` if another timer is due at the same instant, because no event could be sent
/// between the two timers.
pub(crate) fn only_next(sorted: &[DueTimer]) -> Option<&DueTimer> {
    match sorted {
        [first, second, ..] if first.at == second.at => None,
        all => all.first(),
    }
}

/// Returns the denial of a timer that is not the next timer to fire.
pub(crate) fn not_next(state: StateId) -> Denial {
    let message = "this timer is not the next one to fire";
    Denial::new(DenialKind::Stale, state, message)
}
