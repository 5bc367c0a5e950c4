//! Timers: when they start, when they end, and what happens when one fires.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;
use plan_machine_kernel::time::Instant;
use plan_machine_kernel::timers::{Late, Timer};

use super::event::Env;
use super::outcome::{Acceptance, Denial, Outcome};
use super::record::{HeldRecords, Record};
use super::route::Target;
use super::step::{check_live, commit};
use super::transition::{self, Applied, Inputs};
use crate::model::value::Value;
use crate::model::{EventId, Machine, StateId};

/// Returns the timers of a record that starts in a leaf.
pub(super) fn started(inputs: Inputs<'_>, leaf: StateId) -> Vec<Timer> {
    let mut timers = vec![Timer::Off; inputs.machine.timers().count()];
    // A record that starts in a final state has ended, even if a composite around it has timers.
    if !timers.is_empty() && !inputs.machine.is_final(leaf) {
        start(inputs, &inputs.machine.entries_from_root(leaf), &mut timers);
    }
    timers
}

/// Cancels the timers of the states that a record leaves, and starts those of the states that it enters.
pub(super) fn move_on(inputs: Inputs<'_>, from: StateId, record: &mut Record) {
    if record.timers.is_empty() {
        return;
    }
    if inputs.machine.is_final(record.leaf()) {
        end(record);
        return;
    }
    let (exits, entries) = inputs.machine.path(from, record.leaf());
    for (timer, (_, declared)) in record.timers.iter_mut().zip(inputs.machine.timers()) {
        if exits.contains(&declared.state) {
            *timer = Timer::Off;
        }
    }
    start(inputs, &entries, &mut record.timers);
}

/// Cancels all timers of a record that ends or leaves its slot.
pub(super) fn end(record: &mut Record) {
    record.timers.fill(Timer::Off);
}

/// Starts the timers of these states.
fn start(inputs: Inputs<'_>, entered: &[StateId], timers: &mut [Timer]) {
    for (place, (timer, (_, declared))) in
        timers.iter_mut().zip(inputs.machine.timers()).enumerate()
    {
        if entered.contains(&declared.state) {
            let place = u16::try_from(place).unwrap_or(u16::MAX);
            let start = Late::start(inputs.late, place, inputs.now);
            *timer = Timer::Due(declared.period.after(start));
        }
    }
}

/// Returns whether a record that can still change has no timer although its state has one: it was stored before the
/// state had timers.
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

/// Starts the timers of a record that was stored before its state had them.
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

/// Fires a timer of a record. A timer for which nothing can be done, because no `when` holds or the changes are not
/// possible, is spent.
pub(super) fn fire(
    machine: &Machine,
    held: &mut HeldRecords,
    event: EventId,
    target: &Target,
    env: &mut Env<'_>,
) -> Result<Outcome, Denial> {
    let Target::One(index) = *target else {
        return Err(not_running(StateId::NONE));
    };
    let place = usize::from(machine.timer_place(event));
    let record = &held.records[index];
    if record
        .timers
        .get(place)
        .is_none_or(|timer| timer.due().is_none())
    {
        return Err(not_running(record.leaf()));
    }
    let mut accepted = Acceptance::of(event);
    // A timer that fires is over. Taking its transition may start it again.
    held.records[index].timers[place] = Timer::Spent;
    if let Ok(applied) = attempt(machine, held, event, index, env) {
        commit(machine, held, applied, &mut accepted);
    } else {
        accepted.records.push(index);
    }
    Ok(Outcome::Accepted(Box::new(accepted)))
}

/// Returns what a timer does; an error if nothing can be done.
fn attempt(
    machine: &Machine,
    held: &HeldRecords,
    event: EventId,
    index: usize,
    env: &mut Env<'_>,
) -> Result<Applied, Denial> {
    // No host sends a timer, so there is no context; the rules ensure that nothing reads it.
    let context = vec![Value::Unset; machine.context.len()];
    let inputs = Inputs {
        machine,
        held,
        event: &[],
        context: &context,
        now: env.now,
        late: env.late,
        room: &env.room,
    };
    let leaf = held.records[index].leaf();
    let alternatives = machine.alternatives(leaf, event).unwrap_or_default();
    let taken = transition::choose(inputs, Some(index), alternatives)?;
    let applied = transition::take(inputs, Some(index), taken, env.new_id)?;
    check_live(machine, held, &applied)?;
    Ok(applied)
}

fn not_running(state: StateId) -> Denial {
    Denial::new(DenialKind::Stale, state, messages::TIMER_NOT_RUNNING)
}
