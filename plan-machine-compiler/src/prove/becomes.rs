//! Determines whether a step can make a condition true if the abstraction does not decide the condition before or after
//! the step. Everything that the step does not write stays the same.

use super::calls::claims_calls;
use super::evaluate::Scope;
use super::explore::{Edge, Node};
use super::judge::Judge;
use super::laws::remainder;
use crate::model::FieldId;
use crate::model::expr::{Expr, ExprKind, PlanPart};
use crate::model::logic::Truths;

impl Judge<'_> {
    /// Returns whether a condition may hold for the record after the step although it did not hold before the step.
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

    /// Returns whether a step writes, or may write, something that a condition reads.
    fn rewrites(&self, edge: &Edge, condition: &Expr) -> bool {
        let transition = self.machine.transition(edge.taken);
        // If the step creates a successor, the changes apply to the successor, and this record stays unchanged.
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
                // Any field can affect which calls run.
                ExprKind::Gate(..) => claims_calls(self.machine, self.space.leaf(edge.from), inner),
                _ => false,
            };
        });
        rewritten
    }
}
