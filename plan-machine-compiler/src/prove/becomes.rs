//! Whether a step can make a condition true that the abstraction decides neither before nor after
//! it: everything that the step does not write is the same on both sides.

use super::evaluate::Scope;
use super::explore::{Edge, Node};
use super::judge::Judge;
use super::laws::remainder;
use crate::model::FieldId;
use crate::model::expr::{Expr, ExprKind, PlanPart};
use crate::model::logic::Truths;

impl Judge<'_> {
    /// Tells whether the record that takes a step may satisfy a condition after it that it did not
    /// satisfy before.
    pub(super) fn can_become_true(&self, edge: &Edge, after: Node, condition: &Expr) -> bool {
        if self.rewrites(edge, condition) {
            return true;
        }
        let rest =
            |node: Node| self.with_scope(node, |scope: &Scope<'_>| remainder(scope, condition));
        let (Some(before), Some(after)) = (rest(edge.from), rest(after)) else {
            return true;
        };
        let truths = Truths::of(self.machine, &[Some(&before), Some(&after)]);
        truths.is_none_or(|truths| !truths.covers(0, 1))
    }

    /// Tells whether a step writes, or may write, something that a condition reads.
    fn rewrites(&self, edge: &Edge, condition: &Expr) -> bool {
        let transition = self.machine.transition(edge.taken);
        // Writing to a successor leaves the record unchanged.
        let written = |field: &FieldId| {
            let mut changes = transition.changes.iter();
            edge.created.is_none() && changes.any(|change| change.field == *field)
        };
        let mut rewritten = false;
        condition.walk(&mut |inner| {
            rewritten |= match &inner.kind {
                ExprKind::Data(field) => written(field),
                ExprKind::Plan(part) => !matches!(part, PlanPart::Id | PlanPart::Previous),
                ExprKind::AllData | ExprKind::Now | ExprKind::Plans(_) => true,
                _ => false,
            };
        });
        rewritten
    }
}
