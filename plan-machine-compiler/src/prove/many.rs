//! Reachability in machines with many plans: what `none` means in them, and which commands name the plan that they
//! apply to.

use super::bounds::copies_more;
use super::judge::Judge;
use super::relevance::expressions_of;
use crate::model::bounds::states_bounds;
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::machine::{
    Change, ChangeKind, EventKind, HandlerKind, Instances, Machine, Transition,
};
use crate::model::types::{Field, Type};
use crate::model::{EventId, StateId};

/// Replaces `none` with "has ended", which is what `none` means for one plan among many.
pub(super) fn ended_for_none(target: &Expr) -> Expr {
    let mut target = target.clone();
    match &mut target.kind {
        ExprKind::InState(StateId::NONE) => target.kind = ExprKind::IsFinal,
        ExprKind::Not(inner) => **inner = ended_for_none(inner),
        ExprKind::Binary(_, left, right) => {
            **left = ended_for_none(left);
            **right = ended_for_none(right);
        }
        _ => {}
    }
    target
}

impl Judge<'_> {
    /// Returns whether an event reaches the plan that it is meant for, however many plans there are. A command that
    /// cannot name its plan is denied while it could refer to two plans. A command for all plans is denied for all of
    /// them if one plan denies it.
    pub(super) fn finds_its_plan(&self, event: EventId) -> bool {
        let alone = matches!(
            self.machine.instances,
            Instances::One | Instances::Many { max_live: Some(1) }
        );
        let EventKind::Command(command) = &self.machine.event(event).kind else {
            return true;
        };
        let mut arguments = command.pattern.arguments();
        let names_it = arguments.any(|(name, _)| name == "plan_id");
        alone || names_it || (command.each && never_denied(self.machine, event))
    }
}

/// Returns whether every record that handles an event accepts it, whatever its data is.
fn never_denied(machine: &Machine, event: EventId) -> bool {
    let mut handlers = machine.handlers.iter().filter(|known| known.event == event);
    handlers.all(|handler| match &handler.kind {
        HandlerKind::Transitions(alternatives) => {
            let mut all = alternatives.iter().map(|id| machine.transition(*id));
            let open = alternatives.last().map(|id| machine.transition(*id));
            open.is_some_and(|last| last.when.is_none()) && all.all(|one| is_plain(machine, one))
        }
        HandlerKind::Run | HandlerKind::Deny => true,
    })
}

/// Returns whether no part of a transition can cause a denial.
fn is_plain(machine: &Machine, transition: &Transition) -> bool {
    let is_plain_change = |change: &Change| match &change.kind {
        ChangeKind::Set(value) => always_fits(machine, machine.field(change.field), value),
        ChangeKind::Clear => true,
        _ => false,
    };
    let adds = |expr: &&Expr| {
        let mut adds = false;
        expr.walk(&mut |inner| {
            adds |= matches!(
                inner.kind,
                ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, ..)
            );
        });
        adds
    };
    let mut states = machine.states.iter();
    let silent = states.all(|state| state.enter.is_empty() && state.exit.is_empty());
    transition.require.is_empty()
        && transition.emit.is_empty()
        && silent
        && transition.changes.iter().all(is_plain_change)
        && !expressions_of(transition).iter().any(adds)
}

/// Returns whether no bound can deny a write, whatever the data of the plan is.
fn always_fits(machine: &Machine, field: &Field, value: &Expr) -> bool {
    match (&value.kind, field.ty.required()) {
        // PM0406 reports literals that exceed a bound.
        (ExprKind::Value(_), _) => true,
        // The bounds inside a payload have been checked before the payload reaches any plan.
        (ExprKind::Event(_), _) => field.max.is_none() && !field.nonblank,
        (ExprKind::Record(values), Type::Record(id)) => {
            let mut parts = machine.type_def(*id).fields().iter().zip(values);
            parts.all(|(part, value)| {
                let mut value = value.iter();
                value.all(|value| always_fits(machine, part, value))
            })
        }
        _ if field.is_bounded_by(machine, value) => true,
        _ => {
            let stated = states_bounds(machine, std::slice::from_ref(field));
            !stated && !copies_more(machine, field, value)
        }
    }
}
