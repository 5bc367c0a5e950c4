//! Determines which strings are tracked together: those that some condition compares, directly or through a
//! change. A machine that does not compare strings has no pairs, so tracking adds no cost for it.

use super::abstraction::{Abs, of_value};
use super::conditions::conditions_of;
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::machine::{ChangeKind, Machine, Next, Transition};
use crate::model::types::Type;
use crate::model::value::Value;
use crate::model::{FieldId, StateId};

/// The maximum number of tracked pairs: the values of each pair may be equal, different or undecided, which multiplies
/// the number of configurations.
const MAX_PAIRS: usize = 16;

/// A string or id that can be compared: a field of the record, of the event or of the context, or a literal.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Term {
    Data(FieldId),
    Event(FieldId),
    Context(FieldId),
    Value(Value),
}

impl Term {
    /// Returns the term for an expression, if it has one.
    pub(super) fn of(expr: &Expr) -> Option<Self> {
        let followed = matches!(expr.ty.required(), Type::Text | Type::Id);
        match &expr.kind {
            ExprKind::Value(value @ Value::Text(_)) => Some(Term::Value(value.clone())),
            ExprKind::Data(field) if followed => Some(Term::Data(*field)),
            ExprKind::Event(field) if followed => Some(Term::Event(*field)),
            ExprKind::Context(field) if followed => Some(Term::Context(*field)),
            _ => None,
        }
    }
}

/// A field and the term that the field is compared with: another field or a literal.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) field: FieldId,
    pub(super) other: Term,
}

impl Pair {
    /// Returns the fields of the pair.
    pub(super) fn fields(&self) -> impl Iterator<Item = FieldId> {
        let other = match self.other {
            Term::Data(field) => Some(field),
            _ => None,
        };
        std::iter::once(self.field).chain(other)
    }
}

/// Returns whether the values of a pair are equal; `None` if that is not known.
pub(super) fn related_by_value(machine: &Machine, pair: &Pair, data: &[Abs]) -> Option<bool> {
    let one = data.get(pair.field.index())?;
    let other = match &pair.other {
        Term::Data(field) => data.get(field.index())?.clone(),
        Term::Value(value) => of_value(machine, value, &machine.field(pair.field).ty),
        Term::Event(_) | Term::Context(_) => return None,
    };
    match (one, &other) {
        (Abs::Unset, Abs::Unset) => Some(true),
        (Abs::Unset, set) | (set, Abs::Unset) if !set.may_be_unset() => Some(false),
        (Abs::Text { blank: one }, Abs::Text { blank: other }) if one != other => Some(false),
        _ => None,
    }
}

/// Returns whether the values of a pair are equal in a record.
pub(super) fn related_in(pair: &Pair, data: &[Value]) -> bool {
    let one = &data[pair.field.index()];
    match &pair.other {
        Term::Data(field) => *one == data[field.index()],
        Term::Value(value) => one == value,
        Term::Event(_) | Term::Context(_) => false,
    }
}

/// Returns the pairs of a machine.
pub(super) fn compared(machine: &Machine) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for invariant in &machine.invariants {
        for expr in conditions_of(&invariant.property) {
            add_comparisons(expr, &mut pairs);
        }
    }
    for transition in &machine.transitions {
        if let Some(when) = &transition.when {
            add_comparisons(&when.expr, &mut pairs);
        }
        for require in &transition.require {
            add_comparisons(&require.that.expr, &mut pairs);
        }
        for change in &transition.changes {
            for expr in change.kind.expressions() {
                add_comparisons(expr, &mut pairs);
            }
        }
    }
    // The sources of a compared field are compared as well.
    let mut next = 0;
    while next < pairs.len() {
        let Pair { field, other } = pairs[next].clone();
        for transition in &machine.transitions {
            let left = made_of(machine, transition, &Term::Data(field));
            let right = made_of(machine, transition, &other);
            add_all(&left, &right, &mut pairs);
        }
        next += 1;
    }
    pairs
}

fn add_comparisons(expr: &Expr, pairs: &mut Vec<Pair>) {
    expr.walk(&mut |inner| match &inner.kind {
        ExprKind::Binary(BinaryOp::Equal | BinaryOp::NotEqual, left, right) => {
            add_all(&terms(left), &terms(right), pairs);
        }
        ExprKind::In(one, items) => {
            for item in items {
                add_all(&terms(one), &terms(item), pairs);
            }
        }
        _ => {}
    });
}

fn add_all(left: &[Term], right: &[Term], pairs: &mut Vec<Pair>) {
    for one in left {
        for other in right {
            let pair = match (one, other) {
                (Term::Data(one), Term::Data(other)) if one != other => Pair {
                    field: *one.min(other),
                    other: Term::Data(*one.max(other)),
                },
                (Term::Data(field), value @ Term::Value(Value::Text(_)))
                | (value @ Term::Value(Value::Text(_)), Term::Data(field)) => Pair {
                    field: *field,
                    other: value.clone(),
                },
                _ => continue,
            };
            if pairs.len() < MAX_PAIRS && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    }
}

/// Returns the terms that an expression may evaluate to, whichever optionals are set.
fn terms(expr: &Expr) -> Vec<Term> {
    match &expr.kind {
        ExprKind::Proved(inner) => terms(inner),
        ExprKind::Binary(BinaryOp::Coalesce, left, right) => {
            terms(left).into_iter().chain(terms(right)).collect()
        }
        _ => Term::of(expr).into_iter().collect(),
    }
}

/// Returns the terms that a term of the record may come from: after the transition, it has the
/// value that one of these terms had before the transition.
fn made_of(machine: &Machine, transition: &Transition, term: &Term) -> Vec<Term> {
    let Term::Data(field) = term else {
        return vec![term.clone()];
    };
    let start = || machine.field(*field).start().map(Term::Value);
    let mut changes = transition.changes.iter().rev();
    match changes.find(|change| change.field == *field) {
        Some(change) => match &change.kind {
            ChangeKind::Set(value) => terms(value),
            ChangeKind::Clear => start().into_iter().collect(),
            _ => Vec::new(),
        },
        None if starts_empty(machine, transition) => start().into_iter().collect(),
        None => vec![term.clone()],
    }
}

/// Returns whether the changes of a transition apply to a record that starts with its initial data.
pub(super) fn starts_empty(machine: &Machine, transition: &Transition) -> bool {
    let from_none = machine.handler(transition.handler).state == StateId::NONE;
    from_none || matches!(transition.next, Some(Next::Fresh(_)))
}
