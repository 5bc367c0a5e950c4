//! Determines whether a number may overflow. An overflow causes the step to be denied.
//!
//! A number that is only ever counted in small steps, starting from a value in the spec, stays far from the limit. A
//! number that comes from an event or from the host, or that is added to itself, may be arbitrarily large. The sender
//! of an event, however, can choose numbers for its own payload that do not overflow.

use crate::model::TransitionId;
use crate::model::expr::{BinaryOp, Expr, ExprKind, Helper, PlanPart, Quantifier};
use crate::model::machine::{ChangeKind, HandlerKind, Machine, Transition};
use crate::model::types::Type;
use crate::model::value::Value;

/// The largest step of a counter: a counter needs trillions of such steps to come near the limit.
const MOST_STEP: u64 = 1 << 20;
/// The largest initial value of a counter, and the largest value that it is assumed to reach.
const MOST_START: u64 = 1 << 61;
const FAR: i128 = 1 << 62;
/// The maximum length that a list or a string is assumed to have.
const MOST_LENGTH: i128 = 1 << 40;

const ANY: Range = (i64::MIN as i128, i64::MAX as i128);

/// The minimum and the maximum of a number.
type Range = (i128, i128);

/// Determines which sums of a machine cannot overflow.
pub(super) struct Overflow {
    /// Whether each field may contain arbitrarily large or small numbers.
    large: Vec<bool>,
    /// For each transition: the expressions with sums that are evaluated when the transition is taken.
    sums: Vec<Vec<Sum>>,
}

/// An expression with a sum.
#[derive(Clone)]
struct Sum {
    expr: Expr,
    /// Whether the expression reads the record before the step.
    before: bool,
}

impl Overflow {
    /// Examines every sum of a machine.
    pub(super) fn of(machine: &Machine) -> Self {
        let states = machine.states.iter();
        let emits = states.flat_map(|state| state.enter.iter().chain(&state.exit));
        let in_effects = sums(emits.flat_map(|emit| emit.fields.iter().flatten()), false);
        let mut all = vec![Vec::new(); machine.transitions.len()];
        for handler in &machine.handlers {
            let HandlerKind::Transitions(alternatives) = &handler.kind else {
                continue;
            };
            // The conditions of earlier alternatives are evaluated as well.
            let mut earlier = Vec::new();
            for id in alternatives {
                let transition = machine.transition(*id);
                let own = &mut all[id.index()];
                own.clone_from(&earlier);
                own.extend(sums(read_before(transition).into_iter(), true));
                own.extend(sums(read_after(transition), false));
                if transition.to.is_some() || transition.next.is_some() {
                    own.extend(in_effects.iter().cloned());
                }
                earlier.extend(sums(transition.when.iter().map(|when| &when.expr), true));
            }
        }
        Self {
            large: large_fields(machine),
            sums: all,
        }
    }

    /// Returns whether no sum of a transition overflows with this payload.
    pub(super) fn is_safe(&self, taken: TransitionId, payload: &[Value]) -> bool {
        let mut sums = self.sums[taken.index()].iter();
        sums.all(|sum| self.fits(sum, Some(payload)))
    }

    /// Returns the first sum of a transition that may overflow with some payload; neither the possible ranges of the
    /// numbers nor what is known about the record before the step exclude that.
    pub(super) fn doubtful(
        &self,
        taken: TransitionId,
        fits_here: impl Fn(&Expr) -> bool,
    ) -> Option<&Expr> {
        let mut sums = self.sums[taken.index()].iter();
        let is_safe = |sum: &Sum| self.fits(sum, None) || (sum.before && fits_here(&sum.expr));
        sums.find(|sum| !is_safe(sum)).map(|sum| &sum.expr)
    }

    fn fits(&self, sum: &Sum, payload: Option<&[Value]>) -> bool {
        let range = self.range(&sum.expr, payload);
        range.is_none_or(|(least, most)| ANY.0 <= least && most <= ANY.1)
    }

    /// Returns the range of a numeric expression; `None` if the expression has no value.
    fn range(&self, expr: &Expr, payload: Option<&[Value]>) -> Option<Range> {
        let inside = |range: Range| (range.0.max(ANY.0), range.1.min(ANY.1));
        let of = |expr: &Expr| self.range(expr, payload).map(inside);
        match &expr.kind {
            ExprKind::Value(Value::Int(number)) => Some((i128::from(*number), i128::from(*number))),
            ExprKind::Data(field) if !self.large[field.index()] => Some((-FAR, FAR)),
            ExprKind::Event(field) => match payload.and_then(|all| all.get(field.index())) {
                Some(Value::Int(number)) => Some((i128::from(*number), i128::from(*number))),
                Some(Value::Unset) => None,
                _ => Some(ANY),
            },
            ExprKind::Proved(inner) => of(inner),
            ExprKind::Binary(BinaryOp::Coalesce, left, right) => match (of(left), of(right)) {
                (Some(left), Some(right)) => Some((left.0.min(right.0), left.1.max(right.1))),
                (left, right) => left.or(right),
            },
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                Some((left.0 + right.0, left.1 + right.1))
            }
            ExprKind::Binary(BinaryOp::Subtract, left, right) => {
                let (left, right) = (of(left)?, of(right)?);
                Some((left.0 - right.1, left.1 - right.0))
            }
            kind if is_count(kind) => Some((0, MOST_LENGTH)),
            _ => Some(ANY),
        }
    }
}

/// Returns every sum and difference in the given expressions.
fn sums<'e>(all: impl Iterator<Item = &'e Expr>, before: bool) -> Vec<Sum> {
    let mut found = Vec::new();
    for expr in all {
        expr.walk(&mut |inner| {
            if let ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) = inner.kind {
                let expr = inner.clone();
                found.push(Sum { expr, before });
            }
        });
    }
    found
}

/// Returns the expressions that a transition evaluates before it changes anything.
fn read_before(transition: &Transition) -> Vec<&Expr> {
    let mut all: Vec<&Expr> = transition.when.iter().map(|when| &when.expr).collect();
    for require in &transition.require {
        all.extend([&require.that.expr, &require.otherwise]);
    }
    for change in &transition.changes {
        all.extend(change.kind.expressions());
    }
    all
}

/// Returns the expressions that a transition evaluates on the record after the changes.
fn read_after(transition: &Transition) -> impl Iterator<Item = &Expr> {
    let emitted = transition.emit.iter();
    let emitted = emitted.flat_map(|emit| emit.fields.iter().flatten());
    emitted.chain(&transition.reply)
}

/// Returns whether an expression counts things; such counts never come near the limit in practice.
fn is_count(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Call(Helper::Len, _)
            | ExprKind::Quantified(Quantifier::Count, ..)
            | ExprKind::Index
            | ExprKind::Plan(PlanPart::Revision | PlanPart::Edition)
    )
}

/// Returns the fields that may contain any number: fields that are set from outside, fields that grow by more than a
/// small step at once, and fields that are set from another such field.
fn large_fields(machine: &Machine) -> Vec<bool> {
    let defaults = machine.data.iter().map(|field| field.default.as_ref());
    let mut large: Vec<bool> = defaults.map(|value| value.is_some_and(is_huge)).collect();
    loop {
        let mut grew = false;
        for change in machine.transitions.iter().flat_map(|taken| &taken.changes) {
            let at = change.field.index();
            let mut values = stored(&change.kind).into_iter();
            if !large[at] && values.any(|value| is_large(machine, value, &large)) {
                large[at] = true;
                grew = true;
            }
        }
        if !grew {
            return large;
        }
    }
}

/// Returns the values that a change writes to its field.
fn stored(change: &ChangeKind) -> Vec<&Expr> {
    match change {
        ChangeKind::Set(value) | ChangeKind::Append(value) | ChangeKind::Insert(_, value) => {
            vec![value]
        }
        ChangeKind::Update { set, .. } => set.iter().map(|(_, value)| value).collect(),
        ChangeKind::Clear | ChangeKind::Remove(_) => Vec::new(),
    }
}

/// Returns whether a stored value may contain any number.
fn is_large(machine: &Machine, value: &Expr, large: &[bool]) -> bool {
    if !holds_numbers(machine, &value.ty, 0) {
        return false;
    }
    match &value.kind {
        ExprKind::Value(value) => is_huge(value),
        ExprKind::Data(field) => large[field.index()],
        ExprKind::Record(fields) => {
            let mut fields = fields.iter().flatten();
            fields.any(|value| is_large(machine, value, large))
        }
        ExprKind::List(items) => items.iter().any(|value| is_large(machine, value, large)),
        ExprKind::Proved(inner) => is_large(machine, inner, large),
        ExprKind::Binary(BinaryOp::Coalesce, left, right) => {
            is_large(machine, left, large) || is_large(machine, right, large)
        }
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, ..) => {
            !matches!(growth(value, large), Some((0 | 1, 0..=MOST_STEP)))
        }
        kind => !is_count(kind),
    }
}

/// Returns how many counters a sum contains, and the maximum absolute value of its constant parts together; `None` if a
/// part may be any number.
fn growth(sum: &Expr, large: &[bool]) -> Option<(u32, u64)> {
    match &sum.kind {
        ExprKind::Value(Value::Int(number)) => Some((0, number.unsigned_abs())),
        ExprKind::Data(field) => (!large[field.index()]).then_some((1, 0)),
        ExprKind::Proved(inner) => growth(inner, large),
        ExprKind::Binary(BinaryOp::Coalesce, left, right) => {
            let (left, right) = (growth(left, large)?, growth(right, large)?);
            Some((left.0.max(right.0), left.1.max(right.1)))
        }
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Subtract, left, right) => {
            let (left, right) = (growth(left, large)?, growth(right, large)?);
            Some((
                left.0.saturating_add(right.0),
                left.1.saturating_add(right.1),
            ))
        }
        kind => is_count(kind).then_some((0, 0)),
    }
}

/// Returns whether a value contains a number that is too large as the initial value of a counter.
fn is_huge(value: &Value) -> bool {
    match value {
        Value::Int(number) => number.unsigned_abs() > MOST_START,
        Value::List(values) | Value::Record(values) => values.iter().any(is_huge),
        _ => false,
    }
}

/// Returns whether values of a type contain numbers. Records that contain themselves are examined a few levels deep;
/// deeper levels are assumed to contain numbers.
fn holds_numbers(machine: &Machine, ty: &Type, depth: usize) -> bool {
    match ty.required() {
        Type::Int => true,
        Type::List(item) => holds_numbers(machine, item, depth),
        Type::Record(_) if depth > 4 => true,
        Type::Record(id) => {
            let mut fields = machine.type_def(*id).fields().iter();
            fields.any(|field| holds_numbers(machine, &field.ty, depth + 1))
        }
        _ => false,
    }
}
