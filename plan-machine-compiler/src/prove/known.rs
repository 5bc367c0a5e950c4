//! What is known within one step beside the data: which texts are equal, and which conditions were
//! taken to hold.
//!
//! All of it is about the record as it was before the step, of the event and of the context, which
//! do not change while a step is judged.

use super::abstraction::{Abs, of_value};
use super::config::Config;
use super::evaluate::Scope;
use super::pairs::{Pair, Term};
use super::truth::Truth;
use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::machine::Machine;
use crate::model::value::Value;

/// What is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Two terms, and whether they are equal. An unset optional equals another unset one.
    equal: Vec<(Term, Term, bool)>,
    /// Conditions that were taken to be true, or false.
    pub(super) assumed: Vec<(Expr, bool)>,
}

impl Known {
    /// What a configuration says about its texts.
    pub(super) fn of(pairs: &[Pair], config: Option<&Config>) -> Self {
        let mut known = Self::default();
        let Some(config) = config else {
            return known;
        };
        for (pair, related) in pairs.iter().zip(&config.related) {
            if let Some(equal) = related {
                let field = Term::Data(pair.field);
                known.equal.push((field, pair.other.clone(), *equal));
            }
        }
        known
    }

    /// Takes a condition to be true, or false; `equal` is what follows for texts.
    pub(super) fn assume(&mut self, condition: &Expr, truth: bool, equal: Vec<(Term, Term, bool)>) {
        self.assumed.push((condition.clone(), truth));
        self.equal.extend(equal);
    }

    /// Whether two terms are equal.
    pub(super) fn relation(&self, one: &Term, other: &Term) -> Truth {
        if one == other {
            return Truth::Yes;
        }
        if let (Term::Value(one), Term::Value(other)) = (one, other) {
            return (one == other).into();
        }
        if self.equal.is_empty() {
            return Truth::Unknown;
        }
        let left = self.same_as(one);
        if left.contains(&other) {
            return Truth::Yes;
        }
        let right = self.same_as(other);
        let is_value = |term: &&&Term| matches!(term, Term::Value(_));
        let values = (left.iter().find(is_value), right.iter().find(is_value));
        let apart = self.equal.iter().any(|(one, other, equal)| {
            !equal
                && ((left.contains(&one) && right.contains(&other))
                    || (left.contains(&other) && right.contains(&one)))
        });
        match values {
            _ if apart => Truth::No,
            (Some(one), Some(other)) => (one == other).into(),
            _ => Truth::Unknown,
        }
    }

    /// A term and all that are known to equal it.
    fn same_as<'k>(&'k self, term: &'k Term) -> Vec<&'k Term> {
        let mut same = vec![term];
        let mut next = 0;
        while next < same.len() {
            for (one, other, _) in self.equal.iter().filter(|(_, _, equal)| *equal) {
                for (one, other) in [(one, other), (other, one)] {
                    if one == same[next] && !same.contains(&other) {
                        same.push(other);
                    }
                }
            }
            next += 1;
        }
        same
    }
}

/// What a condition's being true, or false, says about texts. What it does not understand says
/// nothing, which is always right.
pub(super) fn equalities(
    scope: &Scope<'_>,
    condition: &Expr,
    truth: bool,
) -> Vec<(Term, Term, bool)> {
    let both = |left: &Expr, left_truth: bool, right: &Expr| {
        let mut all = equalities(scope, left, left_truth);
        all.extend(equalities(scope, right, truth));
        all
    };
    let compared = |left: &Expr, right: &Expr, equal: bool| {
        let terms = scope.term(left).zip(scope.term(right));
        terms.map(|(left, right)| (left, right, equal))
    };
    match &condition.kind {
        ExprKind::Not(inner) => equalities(scope, inner, !truth),
        ExprKind::Binary(BinaryOp::And, left, right) if truth => both(left, true, right),
        ExprKind::Binary(BinaryOp::Or, left, right) if !truth => both(left, false, right),
        ExprKind::Binary(BinaryOp::Implies, left, right) if !truth => both(left, true, right),
        ExprKind::Binary(BinaryOp::Equal, left, right) => {
            compared(left, right, truth).into_iter().collect()
        }
        ExprKind::Binary(BinaryOp::NotEqual, left, right) => {
            compared(left, right, !truth).into_iter().collect()
        }
        ExprKind::In(one, items) if !truth || items.len() == 1 => {
            let items = items.iter();
            items
                .filter_map(|item| compared(one, item, truth))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the texts of a pair are equal, as far as what they hold tells.
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

/// Whether the texts of a pair are equal in a record.
pub(super) fn related_in(pair: &Pair, data: &[Value]) -> bool {
    let one = &data[pair.field.index()];
    match &pair.other {
        Term::Data(field) => *one == data[field.index()],
        Term::Value(value) => one == value,
        Term::Event(_) | Term::Context(_) => false,
    }
}
