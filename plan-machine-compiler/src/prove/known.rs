//! What is known within one step besides the data: which strings are equal, and which conditions were assumed to be
//! true or false.
//!
//! All of this concerns the record before the step, the event and the context, none of which changes while a step is
//! being evaluated.

use super::config::Config;
use super::pairs::{Pair, Term};
use super::truth::Truth;
use crate::model::expr::Expr;

/// What is known besides the data.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownFacts {
    /// Pairs of terms, and whether they are equal. Two unset optionals are equal.
    equal: Vec<(Term, Term, bool)>,
    /// Conditions that were assumed to be true or false.
    pub(super) assumed: Vec<(Expr, bool)>,
}

impl KnownFacts {
    /// Returns what a configuration determines about its strings.
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

    /// Assumes that a condition is true or false; `equal` lists the pairs of strings that are equal or different
    /// because of this assumption.
    pub(super) fn assume(&mut self, condition: &Expr, truth: bool, equal: Vec<(Term, Term, bool)>) {
        self.assumed.push((condition.clone(), truth));
        self.equal.extend(equal);
    }

    /// Returns whether two terms are equal.
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

    /// Returns a term and all terms that are known to equal it.
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
