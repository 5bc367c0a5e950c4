//! Random waits: time passes, and generated code and the interpreter must fire the same timers with the same results.

use plan_machine_kernel::json::Object;
use plan_machine_kernel::step::START_OF_TIME;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::{self, CatchUp, Late, Mask, Period};

use super::random::{Dice, RandomEvent};
use crate::core::description::Description;
use crate::dynamic::interpret::InterpretedMachine;
use crate::dynamic::machine::{Call, CallKind, Machine, PlanTimer, PlanView, TimerCall};

/// The longest wait in seconds that does not depend on the machine's timers.
const LONG: usize = 2_000_000;

/// The clock of a random session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    has_timers: bool,
    now: Instant,
}

impl Clock {
    pub(super) fn new(machine: &Description) -> Self {
        Self {
            has_timers: machine.timers().next().is_some(),
            now: START_OF_TIME,
        }
    }

    /// Returns the time of an event that should happen at a random time. If the machine has timers, the time never goes
    /// back, and it is often the instant at which a timer is due, or close to it.
    pub(super) fn advance(
        &mut self,
        at: Option<Instant>,
        running: &[PlanTimer],
        dice: &mut Dice,
    ) -> Instant {
        if !self.has_timers {
            return at.unwrap_or(START_OF_TIME);
        }
        let due = dice.one_of(running).map_or(self.now, |timer| timer.at);
        let to = match dice.below(12) {
            0 => after(self.now, dice.below(LONG)),
            1 => after(self.now, dice.below(90)),
            2 | 3 => due,
            4 => after(due, dice.below(2)),
            // One second before the timer is due.
            5 => due
                .since_1970()
                .checked_sub(std::time::Duration::from_secs(1))
                .and_then(Instant::from_since_1970)
                .unwrap_or(due),
            6 => after(due, dice.below(LONG)),
            _ => self.now,
        };
        self.now = self.now.max(to);
        self.now
    }

    /// Sometimes returns a call that only a gate may make: one that fires a timer or that starts the timers of a plan.
    pub(super) fn call(
        &self,
        machine: &'static Description,
        plans: &[PlanView],
        dice: &mut Dice,
    ) -> Option<Call> {
        if !self.has_timers || !dice.once_in(20) {
            return None;
        }
        let timers: Vec<u16> = machine.timers().collect();
        let name = match dice.one_of(&timers) {
            Some(timer) if !dice.once_in(4) => machine.event(*timer).name,
            _ => timers::START,
        };
        let mut call = Call::new(CallKind::Event(name.into()));
        let plan = dice.one_of(plans).filter(|_| !dice.once_in(5));
        call.plan_id = plan.map(|plan| plan.id.to_string());
        if !dice.once_in(5) {
            let again = Mask::from_bits(u64::try_from(dice.below(8)).unwrap_or(0));
            let until = after(self.now, dice.below(100));
            call.with = Late { until, again }.payload();
        }
        Some(call)
    }

    /// Returns the catch-up before an event at an instant; `None` if the machine has no timers.
    pub(super) fn before(&self, now: Instant) -> Option<CatchUp> {
        self.has_timers.then(|| CatchUp::new(now))
    }
}

/// Returns the next call of a catch-up, with the time of its step. The timers that have not started yet start first.
pub(super) fn next_call(
    interpreted: &InterpretedMachine,
    held: &<InterpretedMachine as Machine>::HeldPlans,
    now: Instant,
    catch_up: &mut CatchUp,
) -> Option<(RandomEvent, Option<TimerCall>)> {
    let missing = interpreted.timers(held).missing;
    if let Some(plan) = missing.first() {
        let plan = interpreted.plan_id(held, *plan)?;
        let call = Call::new(CallKind::Event(timers::START.into())).to(plan.as_str());
        return Some((sent(call, now), None));
    }
    let due = TimerCall::next(interpreted, held, catch_up)?;
    Some((sent(due.call.clone(), due.at), Some(due)))
}

fn sent(call: Call, at: Instant) -> RandomEvent {
    RandomEvent {
        call,
        context: Object::new(),
        at: Some(at),
        host_tools: None,
    }
}

fn after(start: Instant, seconds: usize) -> Instant {
    let seconds = u64::try_from(seconds).unwrap_or(0);
    Period::of_seconds(seconds).map_or(start, |period| period.after(start))
}
