//! The facts known where an expression is evaluated: which optionals are certain to be set.

use crate::model::FieldId;
use crate::model::expr::{Expr, ExprKind};
use crate::model::implied::{data, implied, plain};
use crate::model::machine::Machine;

/// Optional expressions that are proved to be set.
///
/// Expressions are compared structurally: an expression that was tested with `is set` is known to be set if it is
/// written the same way again. Expressions are pure, so the second read returns the same value as the first.
#[derive(Clone, Debug, Default)]
pub(in crate::resolve) struct Facts(Vec<Expr>);

impl Facts {
    /// Returns whether the optional is proved to be set.
    pub(super) fn prove(&self, optional: &Expr) -> bool {
        let plain = plain(optional);
        self.0.iter().any(|known| known.kind == plain.kind)
    }

    pub(in crate::resolve) fn add(&mut self, optional: &Expr) {
        let plain = plain(optional);
        if !self.0.iter().any(|known| known.kind == plain.kind) {
            self.0.push(plain);
        }
    }

    /// Adds the fact that a field of the data is set.
    pub(in crate::resolve) fn add_field(&mut self, machine: &Machine, field: FieldId) {
        self.add(&data(machine, field));
    }

    /// Adds the facts that follow if the condition evaluates to `truth`.
    pub(in crate::resolve) fn assume(&mut self, machine: &Machine, condition: &Expr, truth: bool) {
        for fact in implied(machine, condition, truth) {
            self.add(&fact);
        }
    }

    /// Forgets the facts about a field because the field was written.
    pub(in crate::resolve) fn forget_field(&mut self, field: FieldId) {
        self.0
            .retain(|known| !mentions(known, |kind| *kind == ExprKind::Data(field)));
    }

    /// Forgets the facts about the record because another record replaces it.
    pub(in crate::resolve) fn forget_record(&mut self) {
        self.0.retain(|known| {
            !mentions(known, |kind| {
                matches!(
                    kind,
                    ExprKind::Data(_) | ExprKind::Plan(_) | ExprKind::AllData
                )
            })
        });
    }

    /// Forgets the facts about `item` because another list is examined.
    pub(super) fn forget_item(&mut self) {
        self.0.retain(|known| {
            !mentions(known, |kind| {
                matches!(kind, ExprKind::Item | ExprKind::Index)
            })
        });
    }
}

/// Returns whether a part of the expression is of the wanted kind.
pub(super) fn mentions(expr: &Expr, wanted: impl Fn(&ExprKind) -> bool) -> bool {
    let mut found = false;
    expr.walk(&mut |inner| found |= wanted(&inner.kind));
    found
}
