//! Applies a transition to the records of a session, within the limit on live records.

use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::json::Json;
use plan_machine_kernel::messages;

use super::outcome::{Acceptance, Denial};
use super::record::{HeldRecords, Record};
use super::transition::Applied;
use crate::model::machine::Instances;
use crate::model::{Machine, StateId};

/// Enforces the limit on live records of a machine with many plans.
pub(super) fn check_live(
    machine: &Machine,
    held: &HeldRecords,
    applied: &Applied,
) -> Result<(), Denial> {
    let Instances::Many {
        max_live: Some(max),
    } = machine.instances
    else {
        return Ok(());
    };
    let alive = |record: &&Record| !machine.is_final(record.leaf());
    let before = held.records.iter().filter(alive).count();
    let started = applied.created.iter().filter(alive).count();
    let before = u64::try_from(before).unwrap_or(u64::MAX);
    if started > 0 && before >= max {
        let message = messages::too_many_alive(before, max);
        return Err(Denial::new(
            DenialKind::LimitReached,
            StateId::NONE,
            message,
        ));
    }
    Ok(())
}

/// Applies a transition; returns its reply.
pub(super) fn commit(
    machine: &Machine,
    held: &mut HeldRecords,
    applied: Applied,
    accepted: &mut Acceptance,
) -> Json {
    accepted.transitions.push(applied.taken);
    accepted.effects.extend(applied.effects);
    if !machine.review.is_empty() {
        let changed = applied.record.iter().map(|(_, record)| record);
        for record in changed.chain(&applied.created) {
            held.editions.keep(record.edition);
        }
    }
    let mut subject = None;
    if let Some((index, record)) = applied.record {
        held.records[index] = record;
        subject = Some(index);
        if applied.released {
            accepted.ended = Some(index);
            held.slot = None;
        }
    }
    if let Some(record) = applied.created {
        held.records.push(record);
        subject = Some(held.records.len() - 1);
        // A machine with many plans has no slot.
        held.slot = subject.filter(|_| !machine.is_many());
    }
    accepted.records.extend(subject);
    applied.reply
}
