//! Claims about calls that the state alone does not decide: given the data of a plan, whether some call to a tool would
//! run, be recorded or be accepted, or whether all would be denied. The explored steps decide these claims, because
//! every step that a call can take is among them.

use super::explore::{Edge, Node, Space};
use super::paths::Paths;
use super::truth::Truth;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Gate};
use crate::model::machine::{Fate, Instances, Machine};
use crate::model::{EventId, StateId};

/// The explored steps of a machine.
#[derive(Clone, Copy)]
pub(super) struct Calls<'a> {
    pub(super) machine: &'a Machine,
    pub(super) space: &'a Space,
    pub(super) paths: &'a Paths,
}

impl Calls<'_> {
    /// Returns whether a claim holds for a node; `None` if the state alone decides the claim.
    pub(super) fn claim(&self, node: Node, gate: Gate, event: EventId) -> Option<Truth> {
        if self
            .machine
            .gate(self.space.leaf(node), gate, event)
            .is_some()
        {
            return None;
        }
        let decides = if self.machine.is_many() && self.machine.is_host_tool(event) {
            Node::NONE
        } else {
            node
        };
        Some(match gate {
            Gate::Runs => self.some_call(decides, event, Fate::runs),
            Gate::Records => self.some_call(decides, event, |fate| fate == Fate::Accept),
            Gate::Denies => self.some_call(decides, event, |_| true).not(),
            Gate::Accepts => self.some_call(decides, event, |_| true),
            Gate::Advertises | Gate::Prompts => Truth::Unknown,
        })
    }

    /// Returns whether some payload in some context leads to a step whose fate satisfies `wanted`.
    /// A step without doubts, or with doubts that the sender settles by choosing the payload, can
    /// certainly be taken.
    fn some_call(&self, node: Node, event: EventId, wanted: impl Fn(Fate) -> bool) -> Truth {
        let mut found = Truth::No;
        for at in self.paths.from(node) {
            let edge = &self.space.edges[*at];
            if edge.event != event || !wanted(self.machine.transition(edge.taken).fate) {
                continue;
            }
            if self.is_certain(edge) {
                return Truth::Yes;
            }
            found = Truth::Unknown;
        }
        found
    }

    /// Returns whether some call certainly takes a step.
    pub(super) fn is_certain(&self, edge: &Edge) -> bool {
        let settled = edge.doubts.iter().all(|doubt| doubt.by_payload);
        settled && !self.may_be_one_too_many(edge)
    }

    /// Returns whether a step starts a plan even though the maximum number of live plans may
    /// already be reached. A claim about what `none` accepts concerns an empty session, which has
    /// room for a plan.
    fn may_be_one_too_many(&self, edge: &Edge) -> bool {
        let limited = match self.machine.instances {
            Instances::Many { max_live: Some(0) } => true,
            Instances::Many { max_live: Some(_) } => self.machine.is_host_tool(edge.event),
            Instances::One | Instances::Many { max_live: None } => false,
        };
        limited && edge.created.is_some()
    }
}

/// Returns whether a condition contains a claim about calls that the state alone neither confirms nor refutes.
pub(super) fn claims_calls(machine: &Machine, leaf: StateId, condition: &Expr) -> bool {
    let mut found = false;
    condition.walk(&mut |inner| {
        found |= matches!(&inner.kind, ExprKind::Gate(gate, event) if machine.gate(leaf, *gate, *event).is_none());
    });
    found
}

/// Evaluates a condition: `claim` decides its claims about calls, and `part` decides all other parts.
pub(super) fn settled(
    condition: &Expr,
    claims: &dyn Fn(&Expr) -> bool,
    claim: &dyn Fn(Gate, EventId) -> Option<Truth>,
    part: &dyn Fn(&Expr) -> Truth,
) -> Truth {
    if !claims(condition) {
        return part(condition);
    }
    let inside = |expr: &Expr| settled(expr, claims, claim, part);
    // In `d is set and …`, the right side is read only if `d` is set.
    let both = |left: Truth, right: &dyn Fn() -> Truth| match left {
        Truth::No => Truth::No,
        left => left.and(right()),
    };
    match &condition.kind {
        ExprKind::Not(inner) => inside(inner).not(),
        ExprKind::Binary(BinaryOp::And, left, right) => both(inside(left), &|| inside(right)),
        ExprKind::Binary(BinaryOp::Or, left, right) => {
            both(inside(left).not(), &|| inside(right).not()).not()
        }
        ExprKind::Binary(BinaryOp::Implies, left, right) => {
            both(inside(left), &|| inside(right).not()).not()
        }
        ExprKind::Gate(gate, event) => claim(*gate, *event).unwrap_or_else(|| part(condition)),
        _ => Truth::Unknown,
    }
}
