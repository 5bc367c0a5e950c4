//! What happens when a timer fires.

use plan_machine_kernel::timers::Timer;

use super::commit::{check_live, commit};
use super::event::Env;
use super::outcome::{Acceptance, Denial, Outcome};
use super::record::HeldRecords;
use super::route::Target;
use super::timers::not_running;
use super::transition::{self, Applied, Inputs};
use crate::model::value::Value;
use crate::model::{EventId, Machine, StateId};

/// Fires a timer of a record. If no `when` holds, or if the changes are not possible, the timer is only marked as
/// spent.
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
    // A timer that has fired no longer runs. Taking its transition may start it again.
    held.records[index].timers[place] = Timer::Spent;
    if let Ok(applied) = attempt(machine, held, event, index, env) {
        commit(machine, held, applied, &mut accepted);
    } else {
        accepted.records.push(index);
    }
    Ok(Outcome::Accepted(Box::new(accepted)))
}

/// Returns the result of a timer's transition, which is not applied yet. Returns an error if no transition can be
/// taken.
fn attempt(
    machine: &Machine,
    held: &HeldRecords,
    event: EventId,
    index: usize,
    env: &mut Env<'_>,
) -> Result<Applied, Denial> {
    // No host sends a timer, so a timer has no context; the rules ensure that the transitions of timers do not read the
    // context.
    let context = vec![Value::Unset; machine.context.len()];
    let inputs = Inputs {
        machine,
        held,
        event: &[],
        context: &context,
        now: env.now,
        late: env.late,
        budget: &env.budget,
        evaluations: &env.evaluations,
    };
    let leaf = held.records[index].leaf();
    let alternatives = machine.alternatives(leaf, event).unwrap_or_default();
    let taken = transition::choose(inputs, Some(index), alternatives)?;
    let applied = transition::take(inputs, Some(index), taken, env.new_id)?;
    check_live(machine, held, &applied)?;
    Ok(applied)
}
