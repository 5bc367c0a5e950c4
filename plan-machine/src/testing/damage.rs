//! Alters stored plans: generated code and the interpreter must both accept or both reject the result.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::step::START_OF_TIME;

use super::random::Dice;
use crate::core::description::Description;
use crate::core::id::Id;
use crate::dynamic::interpret::InterpretedMachine;
use crate::dynamic::machine::{Machine, PlanView, RestoreError, StoredPlans};

/// A length that exceeds most bounds in specs.
const LONG: usize = 100_000;

/// Alters the stored plans, and checks that both machines handle them in the same way.
///
/// # Panics
///
/// If only one machine rejects the plans, if the machines reject them for different reasons, or if a plan is missing
/// after it has been accepted.
pub(super) fn read_alike(
    machine: &impl Machine,
    interpreted: &InterpretedMachine,
    stored: &StoredPlans,
    dice: &mut Dice,
) {
    let mut changed = stored.clone();
    change(machine, &mut changed, dice);
    let generated = read(machine, &changed);
    let meant = read(interpreted, &changed);
    assert!(
        generated == meant,
        "stored: {changed:#?}\ngenerated: {generated:#?}\ninterpreted: {meant:#?}"
    );
    let Ok(read) = generated else { return };
    // A restore must not lose the plan in the slot, because its state decides calls to host tools.
    let many = machine.description().is_many();
    let slot = changed.slot.filter(|_| !many);
    let slot = slot.map(|at| changed.plans[at].id.clone());
    assert_eq!(read.slot, slot, "{changed:#?}");
    assert_eq!(read.plans.len(), changed.plans.len(), "{changed:#?}");
}

/// The plans after a restore. The order of ended plans does not matter.
#[derive(Debug, PartialEq)]
struct RestoredPlans {
    plans: Vec<PlanView>,
    slot: Option<Id>,
    editions: Option<u64>,
}

fn read<M: Machine>(machine: &M, stored: &StoredPlans) -> Result<RestoredPlans, RestoreError> {
    let held = machine.restore(stored)?;
    let mut plans = machine.plans(&held);
    plans.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(RestoredPlans {
        plans,
        slot: machine.slot_plan(&held),
        editions: machine.editions(&held).last(),
    })
}

/// Sometimes changes the timers of the stored plans of a machine that has timers, as if its spec had other timers when
/// the plans were stored.
pub(super) fn change_spec(machine: &Description, stored: &mut StoredPlans, dice: &mut Dice) {
    let timers: Vec<u16> = machine.timers().collect();
    if timers.is_empty() || !dice.once_in(3) {
        return;
    }
    let lives = |plan: &&mut PlanView| {
        let state = machine.state_named(&plan.state);
        state.is_some_and(|state| !machine.state(state).is_final)
    };
    for plan in stored.plans.iter_mut().filter(lives) {
        let before = match dice.below(4) {
            0 | 1 => Object::new(),
            2 => plan.timers.clone(),
            _ => continue,
        };
        let added = dice.one_of(&timers).filter(|_| dice.once_in(2));
        let all = timers.iter().filter_map(|timer| {
            let name = machine.event(*timer).name;
            let value = match added {
                Some(added) if added == timer => Some(Json::from(START_OF_TIME.to_string())),
                _ => before.get(name).cloned(),
            };
            Some((name, value?))
        });
        plan.timers = all.collect();
    }
}

/// Sets a timer of a stored plan to due, to spent, or to an invalid value. The plan's state might not have this timer.
fn change_timers(machine: &Description, timers: &mut Object, dice: &mut Dice) {
    let names: Vec<u16> = machine.timers().collect();
    let Some(timer) = dice.one_of(&names) else {
        return;
    };
    let value = match dice.below(4) {
        0 => Json::Null,
        1 => Json::from("2026-01-01T00:00:00Z"),
        2 => Json::from("soon"),
        _ => Json::Int(1),
    };
    timers.insert(machine.event(*timer).name, value);
}

fn change(machine: &impl Machine, stored: &mut StoredPlans, dice: &mut Dice) {
    let plans = stored.plans.len();
    if let (Some(plan), true) = (
        stored.plans.last_mut(),
        machine.description().timers().next().is_some() && dice.once_in(4),
    ) {
        change_timers(machine.description(), &mut plan.timers, dice);
        return;
    }
    match dice.below(8) {
        0 => stored.slot = dice.once_in(2).then(|| dice.below(plans + 2)),
        1 => stored.editions = Some(u64::MAX),
        _ if plans == 0 => {}
        kind => {
            let at = dice.below(plans);
            let plan = &mut stored.plans[at];
            match kind {
                2 => plan.revision = u64::MAX,
                3 => {
                    let states = machine.description().states;
                    plan.state = states[dice.below(states.len())].name.into();
                }
                4 => {
                    let copy = plan.clone();
                    stored.plans.push(copy);
                }
                5 => plan.data.push("nobody_knows", true),
                _ => change_data(&mut plan.data, dice),
            }
        }
    }
}

/// Removes a field, makes it longer, or replaces it.
fn change_data(data: &mut Object, dice: &mut Dice) {
    let keys: Vec<String> = data.iter().map(|(key, _)| key.to_owned()).collect();
    let Some(key) = keys.get(dice.below(keys.len())) else {
        return;
    };
    let Some(value) = data.remove(key) else {
        return;
    };
    let value = match (dice.below(3), value) {
        (0, _) => return,
        (1, Json::Text(_)) => Json::from("x".repeat(LONG)),
        (1, Json::List(items)) if !items.is_empty() => {
            Json::List(items.into_iter().cycle().take(1000).collect())
        }
        (_, Json::Text(_)) => Json::Int(1),
        _ => Json::from(" "),
    };
    data.push(key.clone(), value);
}
