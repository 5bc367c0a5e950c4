//! Determines which fields can affect whether a run breaks an invariant. Two sessions that differ only in other fields
//! have the same future as far as the invariant is concerned, so a search needs to continue from only one of them.

use super::super::gating::asks_about_tools;
use super::search::SearchTarget;
use crate::model::FieldId;
use crate::model::expr::{BinaryOp, Expr, ExprKind, PlanPart};
use crate::model::machine::{Change, ChangeKind, Emit, HandlerKind, Machine, Property, Transition};

/// Returns, for each field, whether it can affect whether a run breaks one of the wanted invariants.
pub(super) fn influential(machine: &Machine, wanted: &[SearchTarget<'_>]) -> Vec<bool> {
    let mut found = Influence {
        machine,
        fields: vec![false; machine.data.len()],
    };
    let mut wanted = wanted.iter().filter(|one| one.can_be_found());
    if !wanted.all(|one| found.mark_property(one.property)) {
        found.mark_all();
    }
    for state in &machine.states {
        found.mark_effects(&state.enter);
        found.mark_effects(&state.exit);
    }
    while found.mark_steps() {}
    found.fields
}

/// The fields that are known to have an influence.
struct Influence<'m> {
    machine: &'m Machine,
    fields: Vec<bool>,
}

impl Influence<'_> {
    /// Marks the fields that an invariant reads or watches; returns `false` if the invariant is about more than the
    /// state and the data, so that any field may matter.
    fn mark_property(&mut self, property: &Property) -> bool {
        let (field, condition) = match property {
            Property::Always(expr) | Property::Never(expr) | Property::OnlyBy(expr, _) => {
                (None, Some(expr))
            }
            Property::ChangesOnlyIn(Some(path), expr) => (Some(path.field), Some(expr)),
            Property::ChangesOnlyBy(Some(path), _) | Property::NeverChanges(Some(path)) => {
                (Some(path.field), None)
            }
            Property::OnlyGrows(field) => (Some(*field), None),
            _ => return false,
        };
        if let Some(field) = field {
            self.mark_field(field);
        }
        if let Some(condition) = condition {
            self.mark(condition);
        }
        !condition.is_some_and(asks_about_tools)
    }

    /// Marks the fields that determine whether the steps that matter are taken, and what these steps write; returns
    /// whether any field was newly marked.
    fn mark_steps(&mut self) -> bool {
        let machine = self.machine;
        let before = self.marked();
        for handler in &machine.handlers {
            let HandlerKind::Transitions(alternatives) = &handler.kind else {
                continue;
            };
            let mut later = false;
            for id in alternatives.iter().rev() {
                let transition = machine.transition(*id);
                let matters = self.matters(transition);
                later |= matters;
                // An alternative is taken only if none of the conditions of earlier alternatives holds.
                if let Some(when) = transition.when.as_ref().filter(|_| later) {
                    self.mark(&when.expr);
                }
                if matters {
                    self.mark_taken(transition);
                }
            }
        }
        self.marked() > before
    }

    /// Returns whether a transition can change anything that has an influence: the state, the slot or a field. Timers
    /// need no special case: a timer that fires is spent even if it takes no transition.
    fn matters(&self, transition: &Transition) -> bool {
        let writes = |change: &Change| self.fields[change.field.index()];
        transition.to.is_some()
            || transition.next.is_some()
            || transition.changes.iter().any(writes)
    }

    /// Marks what a transition reads. In the reply, only a sum can cause the step to be denied.
    fn mark_taken(&mut self, transition: &Transition) {
        for require in &transition.require {
            self.mark(&require.that.expr);
        }
        for change in &transition.changes {
            // Whether a list has room or a position exists depends on the list.
            if !matches!(change.kind, ChangeKind::Set(_) | ChangeKind::Clear) {
                self.mark_field(change.field);
            }
            for expr in change.kind.expressions() {
                self.mark(expr);
            }
        }
        self.mark_effects(&transition.emit);
        if let Some(reply) = &transition.reply {
            reply.walk(&mut |inner| {
                if let ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) = inner.kind {
                    self.mark(inner);
                }
            });
        }
    }

    /// Marks the fields that decide whether effects satisfy their bounds.
    fn mark_effects(&mut self, emits: &[Emit]) {
        for emit in emits {
            let declared = &self.machine.effect(emit.effect).fields;
            for (field, value) in declared.iter().zip(&emit.fields) {
                let checked = |value: &&Expr| !field.is_bounded_by(self.machine, value);
                if let Some(value) = value.as_ref().filter(checked) {
                    self.mark(value);
                }
            }
        }
    }

    /// Marks every field that an expression reads.
    fn mark(&mut self, expr: &Expr) {
        expr.walk(&mut |inner| match &inner.kind {
            ExprKind::Data(field) => self.mark_field(*field),
            // Every change of a field changes these parts of a plan, too.
            ExprKind::AllData
            | ExprKind::Plans(_)
            | ExprKind::Plan(PlanPart::Revision | PlanPart::Edition | PlanPart::Token) => {
                self.mark_all();
            }
            _ => {}
        });
    }

    fn mark_field(&mut self, field: FieldId) {
        self.fields[field.index()] = true;
    }

    fn mark_all(&mut self) {
        self.fields.fill(true);
    }

    fn marked(&self) -> usize {
        self.fields.iter().filter(|marked| **marked).count()
    }
}
