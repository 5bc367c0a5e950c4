//! Decides what an invariant claims about calls by making the calls: a claim such as `runs t` means
//! that some call to `t` would run.

use std::cell::Cell;
use std::sync::Arc;

use plan_machine_compiler::model::expr::{BinaryOp, Expr, ExprKind, Gate};
use plan_machine_compiler::model::machine::Property;
use plan_machine_compiler::model::value::Value;
use plan_machine_compiler::model::{EventId, Machine, StateId};
use plan_machine_compiler::semantics::{
    Call, CallKind, Env, EventContext, HeldRecords, Outcome, Record, START_OF_TIME, STEP_BUDGET,
    step,
};

use crate::brute::host_tool;
use crate::choices::{calls, contexts};

/// Replaces the claims that depend on the data of a plan with their truth values.
pub(crate) fn settled(
    machine: &Machine,
    held: &HeldRecords,
    record: Option<&Record>,
    condition: &Expr,
) -> Expr {
    let inside = |inner: &Expr| Box::new(settled(machine, held, record, inner));
    let leaf = record.map_or(StateId::NONE, Record::leaf);
    let kind = match &condition.kind {
        ExprKind::Not(inner) => ExprKind::Not(inside(inner)),
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Implies), left, right) => {
            ExprKind::Binary(*op, inside(left), inside(right))
        }
        ExprKind::Gate(gate, event) if machine.gate(leaf, *gate, *event).is_none() => {
            ExprKind::Value(Value::Bool(claim(machine, held, record, *gate, *event)))
        }
        other => other.clone(),
    };
    Expr {
        kind,
        ..condition.clone()
    }
}

fn claim(
    machine: &Machine,
    held: &HeldRecords,
    record: Option<&Record>,
    gate: Gate,
    event: EventId,
) -> bool {
    let is_host = machine.is_host_tool(event);
    let (all, _) = calls(machine);
    let (contexts, _) = contexts(machine);
    let meant = all.into_iter().filter(|call| match &call.what {
        CallKind::Event(own) => *own == event,
        CallKind::HostTool(_) => is_host && host_tool(machine, call) == event,
    });
    let empty = HeldRecords::default();
    // A claim about `none` is a claim about a session without plans.
    let alone = machine.is_many() && !is_host && record.is_none();
    let held = if alone { &empty } else { held };
    let mut outcomes = meant.flat_map(|mut call| {
        if machine.is_many() && !is_host {
            call.plan_id = record.map(|record| record.id.to_string());
        }
        let contexts = contexts.iter();
        let outcomes = contexts.map(|around| outcome(machine, held, &call, around));
        outcomes.collect::<Vec<_>>()
    });
    let runs = |outcome: &Outcome| match outcome {
        Outcome::Accepted(accepted) => accepted.runs.is_some(),
        Outcome::Run { .. } => true,
        Outcome::Denied(_) => false,
    };
    let denied = |outcome: &Outcome| matches!(outcome, Outcome::Denied(_));
    match gate {
        Gate::Runs => outcomes.any(|outcome| runs(&outcome)),
        Gate::Records => outcomes.any(|outcome| !runs(&outcome) && !denied(&outcome)),
        Gate::Denies => outcomes.all(|outcome| denied(&outcome)),
        _ => outcomes.any(|outcome| !denied(&outcome)),
    }
}

fn outcome(machine: &Machine, held: &HeldRecords, call: &Call, around: &EventContext) -> Outcome {
    let mut env = Env {
        now: START_OF_TIME,
        new_id: &mut || Arc::from("another-plan"),
        late: None,
        context: &around.context,
        host_tools: None,
        budget: Cell::new(STEP_BUDGET),
        evaluations: Cell::new(usize::MAX),
    };
    step(machine, &mut held.clone(), call, &mut env)
}

/// Returns whether brute force decides a property. Brute force tries only some payloads and a
/// single point in time, so it cannot tell that a claim about calls is false if other payloads or
/// times matter.
pub(crate) fn is_decided(machine: &Machine, property: &Property) -> bool {
    let claims = conditions(property).into_iter().any(|condition| {
        let mut claims = false;
        condition.walk(&mut |inner| {
            if let ExprKind::Gate(gate, event) = &inner.kind {
                let mut leaves = machine.leaves();
                claims |= leaves.any(|leaf| machine.gate(leaf, *gate, *event).is_none());
            }
        });
        claims
    });
    !claims || (calls(machine).1 && contexts(machine).1 && !tells_time(machine))
}

fn tells_time(machine: &Machine) -> bool {
    let conditions = machine.transitions.iter().flat_map(|transition| {
        let when = transition.when.iter();
        when.chain(transition.require.iter().map(|require| &require.that))
    });
    let mut tells = false;
    for condition in conditions {
        condition
            .expr
            .walk(&mut |inner| tells |= inner.kind == ExprKind::Now);
    }
    tells
}

fn conditions(property: &Property) -> Vec<&Expr> {
    match property {
        Property::Always(expr)
        | Property::Never(expr)
        | Property::CanReach(expr, _)
        | Property::OnlyBy(expr, _)
        | Property::OnlyIn(_, expr)
        | Property::ChangesOnlyIn(_, expr)
        | Property::After(_, expr)
        | Property::EmittedOnlyIn(_, expr) => vec![expr],
        _ => Vec::new(),
    }
}
