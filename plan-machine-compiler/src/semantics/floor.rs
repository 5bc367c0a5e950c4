//! Determines whether there are arguments with which a host tool could run.

use plan_machine_kernel::time::Instant;

use super::eval::{Fault, Scope, of_nothing};
use super::record::{HeldRecords, Record};
use crate::model::expr::Expr;
use crate::model::floor::FloorArm;
use crate::model::{EventId, Machine, StateId};

/// Returns whether the alternatives for a host tool would now let the tool run with some arguments. A condition that
/// reads the event or its context counts as true. If the state alone decides whether the tool runs, the result is
/// `true`.
#[must_use]
pub fn could_run(machine: &Machine, held: &HeldRecords, tool: EventId, now: Instant) -> bool {
    let record = held.in_slot().filter(|_| !machine.is_many());
    let leaf = record.map_or(StateId::NONE, Record::leaf);
    let Some(arms) = machine.floor_arms(leaf, tool) else {
        return true;
    };
    let scope = Scope {
        record,
        ..of_nothing(machine, &[], now)
    };
    // A call for which a number overflows is denied.
    runs(&scope, &arms).unwrap_or(false)
}

fn runs(scope: &Scope<'_>, arms: &[FloorArm<'_>]) -> Result<bool, Fault> {
    for arm in arms {
        if !all_hold(scope, arm.when.as_slice())? {
            continue;
        }
        if let Some(requires) = &arm.runs
            && all_hold(scope, requires)?
        {
            return Ok(true);
        }
        if arm.is_last {
            break;
        }
    }
    Ok(false)
}

fn all_hold(scope: &Scope<'_>, conditions: &[&Expr]) -> Result<bool, Fault> {
    for condition in conditions {
        match scope.holds(condition) {
            Ok(true) => {}
            Ok(false) | Err(Fault::Unset) => return Ok(false),
            Err(fault) => return Err(fault),
        }
    }
    Ok(true)
}
