//! Assumptions that the abstraction does not decide, and whether the sender can ensure them.

use super::super::abstraction::of_value;
use super::super::config::Config;
use super::super::numbers::Range;
use super::super::sums::stays_in_range;
use super::super::tools::{self, ToolName};
use super::doubt::{Assumed, Doubt, Need};
use super::stepper::{AbstractEvent, Stepper};
use crate::model::TransitionId;
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::machine::Condition;
use crate::model::types::Type;
use crate::model::value::Value;
use crate::semantics::{START_OF_TIME, fits, holds_for, value_for};

impl Stepper<'_> {
    /// Records the assumption that a condition holds or does not hold, and whether the sender can ensure it.
    pub(super) fn assume(
        &self,
        condition: &Condition,
        truth: bool,
        sent: AbstractEvent<'_>,
        assumed: &mut Assumed,
    ) {
        let text = if truth {
            format!("`{}` holds", condition.text)
        } else {
            format!("`{}` does not hold", condition.text)
        };
        self.assume_expr(&condition.expr, truth, text, sent, assumed);
    }

    pub(super) fn assume_expr(
        &self,
        expr: &Expr,
        truth: bool,
        text: String,
        sent: AbstractEvent<'_>,
        assumed: &mut Assumed,
    ) {
        let need = Need::Holds(expr.clone(), truth);
        let by_payload = reads_payload_alone(expr) && self.see_to(need, sent, assumed);
        assumed.doubts.push(Doubt { text, by_payload });
    }

    /// Returns whether the sender can choose a single payload that meets this need in addition to all earlier needs. If
    /// so, later needs must be met together with this need.
    pub(super) fn see_to(
        &self,
        need: Need,
        sent: AbstractEvent<'_>,
        assumed: &mut Assumed,
    ) -> bool {
        if sent.name == ToolName::Unmentioned
            && let Some(met) = with_every_name(&need)
        {
            return met;
        }
        assumed.needs.push(need);
        let possible = self.can_choose(sent, &assumed.needs);
        if !possible {
            assumed.needs.pop();
        }
        possible
    }

    /// Returns whether one payload of the case meets all needs.
    fn can_choose(&self, sent: AbstractEvent<'_>, needs: &[Need]) -> bool {
        let fields = &self.machine.event(sent.event).input;
        let fits = |payload: &[Value]| {
            let values = payload.iter().zip(fields).zip(sent.payload);
            values.into_iter().all(|((value, field), case)| {
                case.covers(&of_value(self.machine, value, &field.ty))
            })
        };
        let payloads = match sent.name {
            ToolName::Unmentioned => &self.unmentioned,
            ToolName::Settled | ToolName::Particular => &self.payloads[sent.event.index()],
        };
        payloads
            .iter()
            .filter(|payload| fits(payload))
            .any(|payload| needs.iter().all(|need| self.is_met(need, payload)))
    }

    fn is_met(&self, need: &Need, payload: &[Value]) -> bool {
        match need {
            Need::Holds(expr, truth) => {
                holds_for(self.machine, payload, expr, START_OF_TIME) == Some(*truth)
            }
            Need::Fits(expr, field) => {
                let value = value_for(self.machine, payload, expr, START_OF_TIME);
                let field = std::slice::from_ref(field);
                value.is_some_and(|value| fits(self.machine, field, &[value]))
            }
            Need::Counts(taken) => self.overflow.is_safe(*taken, payload),
        }
    }

    /// Records that sums may overflow, in which case the step is denied.
    pub(super) fn assume_sums(
        &self,
        taken: TransitionId,
        before: Option<&Config>,
        sent: AbstractEvent<'_>,
        assumed: &mut Assumed,
    ) {
        let known = assumed.known.clone();
        let scope = self.scope(before, sent, &known);
        let doubtful = self.overflow.doubtful(taken, |sum| scope.always_fits(sum));
        if let Some(sum) = doubtful
            && !self.see_to(Need::Counts(taken), sent, assumed)
        {
            assumed.fear(stays_in_range(self.machine, sent.event, sum));
        }
    }

    /// Records the assumption that a position exists, unless that is certain. If at least one position is valid and the
    /// payload alone determines the position, the sender can choose the first position. `places` is the number of valid
    /// positions.
    pub(super) fn assume_position(
        &self,
        at: &Expr,
        position: Range,
        places: Range,
        sent: AbstractEvent<'_>,
        assumed: &mut Assumed,
    ) {
        if position.least >= 0 && position.most < places.least {
            return;
        }
        let first = Expr {
            kind: ExprKind::Value(Value::Int(0)),
            ty: Type::Int,
            span: at.span,
        };
        let is_first = Expr {
            kind: ExprKind::Binary(BinaryOp::Equal, Box::new(at.clone()), Box::new(first)),
            ty: Type::Bool,
            span: at.span,
        };
        let text = "the position exists".to_owned();
        if places.least > 0 && reads_payload_alone(at) {
            self.assume_expr(&is_first, true, text, sent, assumed);
            let chosen = assumed.doubts.last().is_some_and(|doubt| doubt.by_payload);
            assumed.may_fail |= !chosen;
        } else {
            assumed.fear(text);
        }
    }
}

/// Returns whether a need is met whatever the name of the host tool is; `None` if the need does not depend on the name.
fn with_every_name(need: &Need) -> Option<bool> {
    match need {
        Need::Holds(expr, _) => tools::depends_on_name(expr).then_some(false),
        Need::Fits(expr, field) => tools::reads_name(expr).then(|| {
            let alone = matches!(expr.kind, ExprKind::Event(_));
            alone && tools::always_fits(field)
        }),
        // The name itself is not a number, and its length does not let a sum overflow.
        Need::Counts(_) => None,
    }
}

/// Returns whether a condition reads only the payload.
fn reads_payload_alone(expr: &Expr) -> bool {
    let mut alone = true;
    expr.walk(&mut |inner| {
        alone &= !matches!(
            inner.kind,
            ExprKind::Data(_)
                | ExprKind::AllData
                | ExprKind::Context(_)
                | ExprKind::Plan(_)
                | ExprKind::Now
                | ExprKind::Plans(_)
                | ExprKind::InState(_)
                | ExprKind::IsFinal
                | ExprKind::Gate(..)
        );
    });
    alone
}
