//! Determines which record an event is addressed to.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::messages;

use super::event::Call;
use super::outcome::Denial;
use super::record::{HeldRecords, Record};
use crate::model::machine::EventKind;
use crate::model::{EventId, Machine, StateId};

/// The target of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// `none`: there is no plan, or no record handles the event.
    NoPlan,
    /// One record.
    One(usize),
    /// Each of these records.
    Each(Vec<usize>),
}

/// Finds the target of an event.
pub(super) fn find(
    machine: &Machine,
    held: &HeldRecords,
    event: EventId,
    call: &Call,
) -> Result<Target, Denial> {
    let target = if machine.is_many() {
        among_many(machine, held, event, call)?
    } else {
        in_slot(machine, held, event, call)?
    };
    if let Some(expected) = call.expect_revision {
        check_revision(held, &target, expected)?;
    }
    Ok(target)
}

fn in_slot(
    machine: &Machine,
    held: &HeldRecords,
    event: EventId,
    call: &Call,
) -> Result<Target, Denial> {
    let slot = held.slot;
    let holds = held.in_slot().map(|record| &*record.id);
    if let Some(wanted) = call
        .plan_id
        .as_deref()
        .filter(|wanted| holds != Some(wanted))
    {
        let is_signal = matches!(machine.event(event).kind, EventKind::Signal);
        let kind = if is_signal {
            DenialKind::Stale
        } else {
            DenialKind::NotFound
        };
        let message = messages::another_plan(holds, wanted);
        return Err(Denial::new(kind, held.leaf(), message));
    }
    Ok(slot.map_or(Target::NoPlan, Target::One))
}

fn among_many(
    machine: &Machine,
    held: &HeldRecords,
    event: EventId,
    call: &Call,
) -> Result<Target, Denial> {
    if let Some(wanted) = &call.plan_id {
        let message = || messages::no_such_plan(wanted);
        let missing = || Denial::new(DenialKind::NotFound, StateId::NONE, message());
        return held.position(wanted).map(Target::One).ok_or_else(missing);
    }
    let handles = |record: &Record| {
        !machine.is_final(record.leaf()) && machine.alternatives(record.leaf(), event).is_some()
    };
    let takers: Vec<usize> = (0..held.records.len())
        .filter(|index| handles(&held.records[*index]))
        .collect();
    let each = matches!(&machine.event(event).kind, EventKind::Command(command) if command.each);
    match takers[..] {
        [] => Ok(Target::NoPlan),
        _ if each => Ok(Target::Each(takers)),
        [one] => Ok(Target::One(one)),
        _ => {
            let ids: Vec<&str> = takers.iter().map(|at| &*held.records[*at].id).collect();
            let name = machine.event(event).shown_name();
            let message = messages::ambiguous(name, &ids);
            Err(Denial::new(DenialKind::Ambiguous, StateId::NONE, message))
        }
    }
}

fn check_revision(held: &HeldRecords, target: &Target, expected: u64) -> Result<(), Denial> {
    let stale = |state, message: String| Err(Denial::new(DenialKind::Stale, state, message));
    let indices = match target {
        Target::NoPlan => {
            let message = messages::revision_of_nothing(expected);
            return stale(StateId::NONE, message);
        }
        Target::One(index) => std::slice::from_ref(index),
        Target::Each(indices) => indices,
    };
    for index in indices {
        let record = &held.records[*index];
        if record.revision != expected {
            let message = messages::another_revision(expected, &record.id, record.revision);
            return stale(record.leaf(), message);
        }
    }
    Ok(())
}
