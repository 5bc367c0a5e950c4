//! The timers of a compiled machine's records: when they start and when they end.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::{Late, Period, Timer};

use super::cx::Cx;
use super::denied::DenialReason;
use super::description::EventKind;
use super::record::Record;
use super::types::{MachineTypes, TimerArray};

/// A timer of a machine, as its tables declare it.
struct DeclaredTimer {
    /// The index of the timer among the timers of the machine.
    place: u16,
    /// The index of the event that represents the timer.
    event: u16,
    period: Period,
    of_leaf: bool,
}

fn declared<L: MachineTypes>() -> impl Iterator<Item = DeclaredTimer> {
    let timers = (0_u16..).zip(L::MACHINE.timers());
    timers.filter_map(|(place, event)| match L::MACHINE.event(event).kind {
        EventKind::Timer { period, of_leaf } => Some(DeclaredTimer {
            place,
            event,
            period,
            of_leaf,
        }),
        _ => None,
    })
}

impl<L: MachineTypes> Record<L> {
    /// Starts the timers of a new record.
    #[doc(hidden)]
    #[must_use]
    pub fn with_timers(mut self: Box<Self>, _: L::Seal, cx: &Cx<L>) -> Box<Self> {
        let state = L::state_index(self.state);
        for timer in declared::<L>() {
            if L::MACHINE.runs_timer(state, timer.event) {
                self.start_timer(&timer, cx);
            }
        }
        self
    }

    /// Cancels the timers of the states that the record has left, and starts those of the states that it has entered.
    /// A move to the same leaf leaves and enters this leaf, but not the composites around it.
    #[doc(hidden)]
    pub fn move_timers(&mut self, _: L::Seal, from: L::State, cx: &Cx<L>) {
        let (from, to) = (L::state_index(from), L::state_index(self.state));
        if L::MACHINE.state(to).is_final {
            self.fields_mut().timers = L::Timers::OFF;
            return;
        }
        for timer in declared::<L>() {
            let runs = |state| L::MACHINE.runs_timer(state, timer.event);
            match (runs(from), runs(to)) {
                (true, true) if from != to || !timer.of_leaf => {}
                (_, true) => self.start_timer(&timer, cx),
                (true, false) => self.set_timer(timer.place, Timer::Off),
                (false, false) => {}
            }
        }
    }

    /// Cancels all timers of a record that leaves its slot.
    #[doc(hidden)]
    pub fn end_timers(&mut self, _: L::Seal) {
        self.fields_mut().timers = L::Timers::OFF;
    }

    /// Denies a typed move while a timer is due: the plan may no longer be in the state that its type names.
    ///
    /// # Errors
    ///
    /// If a timer is due.
    #[doc(hidden)]
    pub fn check_due(&self, cx: &Cx<L>) -> Result<(), DenialReason> {
        match self.due() {
            Some(at) if at <= cx.now => {
                let message = messages::timer_is_due(&at.to_string());
                Err(DenialReason::one(DenialKind::Stale, message))
            }
            _ => Ok(()),
        }
    }

    fn start_timer(&mut self, timer: &DeclaredTimer, cx: &Cx<L>) {
        let start = Late::start(cx.late, timer.place, cx.now);
        self.set_timer(timer.place, Timer::Due(timer.period.after(start)));
    }

    fn set_timer(&mut self, place: u16, to: Timer) {
        let timers = self.fields_mut().timers.as_mut();
        if let Some(timer) = timers.get_mut(usize::from(place)) {
            *timer = to;
        }
    }

    /// Marks a timer as spent, if it is running. Returns whether it was running.
    pub(crate) fn spend_timer(&mut self, place: u16) -> bool {
        let timer = self.timers.as_ref().get(usize::from(place));
        let is_running = timer.is_some_and(|timer| timer.due().is_some());
        if is_running {
            self.set_timer(place, Timer::Spent);
        }
        is_running
    }

    /// Returns whether a timer's transition is available in the state of the record.
    pub(crate) fn takes_timer(&self, place: u16) -> bool {
        let state = L::state_index(self.state);
        let mut timers = declared::<L>().filter(|timer| timer.place == place);
        timers.any(|timer| L::MACHINE.runs_timer(state, timer.event))
    }

    /// Returns whether the record lacks a timer of its state. Such a record was stored before the state had the timer.
    pub(crate) fn lacks_timers(&self) -> bool {
        L::HAS_TIMERS && self.missing().next().is_some()
    }

    fn missing(&self) -> impl Iterator<Item = DeclaredTimer> {
        let state = L::state_index(self.state);
        let timers = self.timers;
        declared::<L>().filter(move |timer| {
            let kept = timers.as_ref().get(usize::from(timer.place));
            kept == Some(&Timer::Off) && L::MACHINE.runs_timer(state, timer.event)
        })
    }

    /// Starts the timers of a record that was stored before its state had these timers.
    pub(crate) fn start_missing(&mut self, now: Instant) {
        for timer in self.missing().collect::<Vec<_>>() {
            self.set_timer(timer.place, Timer::Due(timer.period.after(now)));
        }
    }
}
