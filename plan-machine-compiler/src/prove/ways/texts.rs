//! Determines which strings are equal after a step, by tracking where each value comes from.

use super::super::abstraction::Abs;
use super::super::config::Config;
use super::super::equalities::equalities;
use super::super::known::KnownFacts;
use super::super::pairs::{Term, related_by_value, starts_empty};
use super::super::truth::Truth;
use super::doubt::Assumed;
use super::stepper::{AbstractEvent, Stepper};
use crate::model::expr::Expr;
use crate::model::machine::{ChangeKind, Transition};
use crate::model::value::Value;

impl Stepper<'_> {
    /// Records for the rest of the step that a condition is assumed to be true or false.
    pub(super) fn remember(
        &self,
        before: Option<&Config>,
        condition: &Expr,
        truth: bool,
        sent: AbstractEvent<'_>,
        assumed: &mut Assumed,
    ) {
        let scope = self.scope(before, sent, &assumed.known);
        let equal = equalities(&scope, condition, truth);
        assumed.known.assume(condition, truth, equal);
    }

    /// Returns the content of each field of the changed record as a term that was known before the step (a field of the
    /// record, of the event or of the context, or a literal), if there is such a term.
    pub(super) fn made_of(
        &self,
        transition: &Transition,
        before: Option<&Config>,
        sent: AbstractEvent<'_>,
        known: &KnownFacts,
    ) -> Vec<Option<Term>> {
        if self.relevant.pairs.is_empty() {
            return Vec::new();
        }
        let scope = self.scope(before, sent, known);
        let start = |at: usize| Term::Value(self.machine.data[at].start().unwrap_or(Value::Unset));
        let mut all: Vec<Option<Term>> = if starts_empty(self.machine, transition) {
            (0..self.machine.data.len())
                .map(|at| Some(start(at)))
                .collect()
        } else {
            self.unchanged()
        };
        for change in &transition.changes {
            let at = change.field.index();
            all[at] = match &change.kind {
                ChangeKind::Set(value) => scope.term(value),
                ChangeKind::Clear => Some(start(at)),
                _ => None,
            };
        }
        all
    }

    /// Returns the content of each field of an unchanged record as a term.
    pub(super) fn unchanged(&self) -> Vec<Option<Term>> {
        let fields = 0..self.machine.data.len();
        fields
            .map(|at| Some(Term::Data(crate::model::FieldId::at(at))))
            .collect()
    }

    /// Returns, for each pair, whether its values are equal in a record whose fields have these terms.
    pub(super) fn related(
        &self,
        known: &KnownFacts,
        made_of: &[Option<Term>],
        data: &[Abs],
    ) -> Vec<Option<bool>> {
        let pairs = self.relevant.pairs.iter();
        let by_origin = |field: &Term| match field {
            Term::Data(field) => made_of[field.index()].clone(),
            other => Some(other.clone()),
        };
        pairs
            .map(|pair| {
                related_by_value(self.machine, pair, data).or_else(|| {
                    let one = by_origin(&Term::Data(pair.field))?;
                    let other = by_origin(&pair.other)?;
                    match known.relation(&one, &other) {
                        Truth::Yes => Some(true),
                        Truth::No => Some(false),
                        Truth::Unknown => None,
                    }
                })
            })
            .collect()
    }
}
