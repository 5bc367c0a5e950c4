//! Determines from the state, the data and the time whether there are arguments with which a host tool could run.
//!
//! A running session records this result at the beginning of each turn. A condition that reads the event or its context
//! counts as true, because the arguments of later calls are not known yet.

use super::expr::{Expr, ExprKind};
use super::ids::{EventId, StateId};
use super::machine::{HandlerKind, Machine};
use super::queries::Decision;

/// One alternative of an entry for a host tool, reduced to what is known without a call.
pub(crate) struct FloorArm<'m> {
    /// The condition of the alternative; `None` if it has none, or if the condition counts as true.
    pub(crate) when: Option<&'m Expr>,
    /// Whether no later alternative is considered once the condition holds.
    pub(crate) is_last: bool,
    /// The requirements that must hold for a call to run; `None` if the alternative does not run calls.
    pub(crate) runs: Option<Vec<&'m Expr>>,
}

impl Machine {
    /// Returns the alternatives that decide whether a host tool could run in a leaf; `None` if the state alone decides.
    pub(crate) fn floor_arms(&self, leaf: StateId, tool: EventId) -> Option<Vec<FloorArm<'_>>> {
        let Decision::Choose(handler) = self.decision(leaf, tool) else {
            return None;
        };
        let HandlerKind::Transitions(alternatives) = &self.handler(handler).kind else {
            return None;
        };
        let arms = alternatives.iter().map(|id| {
            let transition = self.transition(*id);
            let when = transition.when.as_ref().map(|when| &when.expr);
            let known = when.filter(|expr| !depends_on_call(expr));
            let requires = transition.require.iter().map(|require| &require.that.expr);
            let requires = requires.filter(|expr| !depends_on_call(expr));
            FloorArm {
                when: known,
                is_last: when.is_none() || known.is_some(),
                runs: transition.fate.runs().then(|| requires.collect()),
            }
        });
        Some(
            arms.filter(|arm| arm.is_last || arm.runs.is_some())
                .collect(),
        )
    }
}

/// Returns whether the value of an expression depends on the call: on its arguments or on its context.
fn depends_on_call(expr: &Expr) -> bool {
    let mut depends = false;
    expr.walk(&mut |inner| {
        depends |= matches!(inner.kind, ExprKind::Event(_) | ExprKind::Context(_));
    });
    depends
}
