//! Determines whether an event can be denied in a state that handles it. If the event cannot be denied, its typed
//! method does not return a `Result`.

use super::bounds::{bounded, stays_in_bounds};
use super::faults::{condition_fails, storing_fails};
use super::path::Path;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Is};
use crate::model::machine::{Change, ChangeKind, EventKind, Machine, Transition, Which};
use crate::model::{EventId, FieldId, StateId};

/// Returns whether an event can be denied in a leaf that handles it.
pub(crate) fn can_deny(machine: &Machine, leaf: StateId, event: EventId) -> bool {
    let declared = machine.event(event);
    let reviewed = matches!(&declared.kind, EventKind::Command(command) if command.reviewed);
    let alternatives = machine.taken_for(leaf, event).unwrap_or_default();
    let transitions = || alternatives.iter().map(|id| machine.transition(*id));
    let last_resort = transitions().any(|transition| transition.when.is_none());
    let mut conditions = transitions().filter_map(|transition| transition.when.as_ref());
    // The arguments of a host tool are checked against bounds only when they are written to a field.
    let sent = !machine.is_host_tool(event) && bounded(machine, &declared.input);
    reviewed
        || has_timer(machine, leaf)
        || sent
        || bounded(machine, &machine.context)
        || !last_resort
        || conditions.any(|when| condition_fails(&when.expr))
        || transitions().any(|transition| denies(machine, leaf, transition))
}

/// Returns whether a timer runs in a leaf. While a timer is due, typed methods deny every event.
pub(crate) fn has_timer(machine: &Machine, leaf: StateId) -> bool {
    let mut timers = machine.timers();
    timers.any(|(_, timer)| machine.is_within(leaf, timer.state)) && !machine.is_final(leaf)
}

fn denies(machine: &Machine, leaf: StateId, transition: &Transition) -> bool {
    let path = Path::new(machine, leaf, transition);
    let set = path.before();
    let mut requirements = transition.require.iter();
    let mut changes = transition.changes.iter();
    requirements.any(|require| !is_known(&require.that.expr, set))
        || changes.any(|change| change_denies(machine, change, set))
        || path.effects_fail()
        || path.reply_fails()
}

/// Returns whether a requirement is certain to hold because these fields are set.
fn is_known(condition: &Expr, has: &[FieldId]) -> bool {
    match &condition.kind {
        ExprKind::Is(inner, Is::Set, false) => match &inner.kind {
            ExprKind::Data(field) => has.contains(field),
            ExprKind::Proved(inner) => {
                matches!(inner.kind, ExprKind::Data(field) if has.contains(&field))
            }
            _ => false,
        },
        ExprKind::Binary(BinaryOp::And, left, right) => is_known(left, has) && is_known(right, has),
        _ => false,
    }
}

fn change_denies(machine: &Machine, change: &Change, has: &[FieldId]) -> bool {
    let field = machine.field(change.field);
    match &change.kind {
        ChangeKind::Clear => false,
        ChangeKind::Set(value) => {
            storing_fails(value, has) || !stays_in_bounds(machine, value, field)
        }
        ChangeKind::Update {
            which: Which::Where(condition) | Which::First(condition),
            set,
            ..
        } => {
            let parts = machine.item_fields(field);
            let denies = |(part, value): &(FieldId, Expr)| {
                let part = &parts[part.index()];
                storing_fails(value, has) || !stays_in_bounds(machine, value, part)
            };
            storing_fails(condition, has) || set.iter().any(denies)
        }
        // A position may be invalid, and every list has a maximum length.
        ChangeKind::Update { .. }
        | ChangeKind::Remove(_)
        | ChangeKind::Insert(..)
        | ChangeKind::Append(_) => true,
    }
}
