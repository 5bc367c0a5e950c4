//! Timers: when they start and when they end.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::{Late, Timer};

use super::outcome::{Acceptance, Denial, Outcome};
use super::record::{HeldRecords, Record};
use crate::model::{Machine, StateId};

/// The time of a step, from which its timers start.
#[derive(Clone, Copy)]
pub(super) struct StepTime {
    pub(super) now: Instant,
    pub(super) late: Option<Late>,
}

/// Returns the timers of a record that starts in a leaf.
pub(super) fn started(machine: &Machine, time: StepTime, leaf: StateId) -> Vec<Timer> {
    let mut timers = vec![Timer::Off; machine.timers().count()];
    // A record that starts in a final state has ended, even if a composite around it has timers.
    if !timers.is_empty() && !machine.is_final(leaf) {
        let entered = machine.entries_from_root(leaf);
        start(machine, time, &entered, &mut timers);
    }
    timers
}

/// Cancels the timers of the states that a record leaves, and starts those of the states that it enters.
pub(super) fn move_on(machine: &Machine, time: StepTime, from: StateId, record: &mut Record) {
    if record.timers.is_empty() {
        return;
    }
    if machine.is_final(record.leaf()) {
        end(record);
        return;
    }
    let (exits, entries) = machine.path(from, record.leaf());
    for (timer, (_, declared)) in record.timers.iter_mut().zip(machine.timers()) {
        if exits.contains(&declared.state) {
            *timer = Timer::Off;
        }
    }
    start(machine, time, &entries, &mut record.timers);
}

/// Cancels all timers of a record that ends or leaves its slot.
pub(super) fn end(record: &mut Record) {
    record.timers.fill(Timer::Off);
}

/// Starts the timers of these states.
fn start(machine: &Machine, time: StepTime, entered: &[StateId], timers: &mut [Timer]) {
    for (place, (timer, (_, declared))) in timers.iter_mut().zip(machine.timers()).enumerate() {
        if entered.contains(&declared.state) {
            let place = u16::try_from(place).unwrap_or(u16::MAX);
            let start = Late::start(time.late, place, time.now);
            *timer = Timer::Due(declared.period.after(start));
        }
    }
}

/// Returns whether a record that can still change has no timer although its state has timers: the record was stored
/// before the state had timers.
#[must_use]
pub fn lacks_timers(machine: &Machine, held: &HeldRecords, index: usize) -> bool {
    let record = &held.records[index];
    let is_live =
        (machine.is_many() || held.slot == Some(index)) && !machine.is_final(record.leaf());
    is_live && missing(machine, record).next().is_some()
}

/// Returns the timers that a record should have but does not have.
fn missing(machine: &Machine, record: &Record) -> impl Iterator<Item = usize> {
    let timers = record.timers.iter().zip(machine.timers()).enumerate();
    timers.filter_map(|(place, (timer, (_, declared)))| {
        let is_active = machine.is_within(record.leaf(), declared.state);
        (*timer == Timer::Off && is_active).then_some(place)
    })
}

/// Starts the timers of a record that was stored before its state had timers.
pub fn start_timers(
    machine: &Machine,
    held: &mut HeldRecords,
    index: Option<usize>,
    now: Instant,
) -> Outcome {
    let Some(index) = index.filter(|index| lacks_timers(machine, held, *index)) else {
        return Outcome::Denied(not_running(held.leaf()));
    };
    let missing: Vec<usize> = missing(machine, &held.records[index]).collect();
    for (place, (_, declared)) in machine.timers().enumerate() {
        if missing.contains(&place) {
            held.records[index].timers[place] = Timer::Due(declared.period.after(now));
        }
    }
    let mut accepted = Acceptance::of(machine.other_tools());
    accepted.records.push(index);
    Outcome::Accepted(Box::new(accepted))
}

pub(super) fn not_running(state: StateId) -> Denial {
    Denial::new(DenialKind::Stale, state, messages::TIMER_NOT_RUNNING)
}
