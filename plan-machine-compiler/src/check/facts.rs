//! Determines which optional fields of the record are certain to be set before and after a step.

use crate::model::expr::{BinaryOp, Expr, ExprKind};
use crate::model::implied;
use crate::model::machine::{Change, ChangeKind, Machine, Transition};
use crate::model::{FieldId, StateId};

use super::graph::alternatives;

/// Returns the fields that are proved to be set if the condition evaluates to `truth`.
pub(super) fn implied(machine: &Machine, condition: &Expr, truth: bool) -> Vec<FieldId> {
    let proved = implied::implied(machine, condition, truth).into_iter();
    proved
        .filter_map(|optional| match optional.kind {
            ExprKind::Data(field) => Some(field),
            _ => None,
        })
        .collect()
}

/// Returns the fields that are certain to be set when a transition is taken, because the transition's own conditions
/// hold and the conditions of earlier alternatives do not.
pub(super) fn proved(machine: &Machine, transition: &Transition) -> Vec<FieldId> {
    let earlier = alternatives(machine, transition.handler)
        .iter()
        .map(|id| machine.transition(*id))
        .take_while(|other| !std::ptr::eq(*other, transition))
        .filter_map(|other| other.when.as_ref())
        .flat_map(|when| implied(machine, &when.expr, false));
    let own = transition.when.iter();
    let own = own.chain(transition.require.iter().map(|require| &require.that));
    let own = own.flat_map(|condition| implied(machine, &condition.expr, true));
    earlier.chain(own).collect()
}

/// A transition that is taken from a particular leaf.
pub(super) struct Way<'a> {
    pub(super) machine: &'a Machine,
    /// The record's leaf before the step.
    pub(super) from: StateId,
    /// The fields that the transition's conditions prove to be set.
    pub(super) proved: &'a [FieldId],
    /// The changes that the transition makes.
    pub(super) changes: &'a [Change],
}

impl Way<'_> {
    /// Returns whether a field is certain to be set before the step.
    pub(super) fn before(&self, field: FieldId) -> bool {
        self.proved.contains(&field) || self.machine.has(self.from).any(|known| known == field)
    }

    /// Returns whether a field is set in a newly started record.
    pub(super) fn at_start(&self, field: FieldId) -> bool {
        let start = self.machine.field(field).start();
        start.is_some_and(|value| value.is_set())
    }

    /// Returns whether a field is certain to be set after the changes; `otherwise` decides for unchanged fields.
    pub(super) fn after(&self, field: FieldId, otherwise: impl Fn(FieldId) -> bool) -> bool {
        match self.change(field).map(|change| &change.kind) {
            None => otherwise(field),
            Some(ChangeKind::Set(value)) => self.gives_value(value),
            Some(ChangeKind::Clear) => self.at_start(field),
            Some(_) => true,
        }
    }

    /// Returns the transition's change to a field.
    pub(super) fn change(&self, field: FieldId) -> Option<&Change> {
        self.changes.iter().find(|change| change.field == field)
    }

    /// Returns whether an expression is certain to have a value. The type of the expression was computed for all leaves
    /// that share the transition; more may be known about this leaf.
    fn gives_value(&self, expr: &Expr) -> bool {
        match &expr.kind {
            _ if !expr.ty.is_optional() => true,
            ExprKind::Data(field) => self.before(*field),
            ExprKind::Binary(BinaryOp::Coalesce, left, right) => {
                self.gives_value(left) || self.gives_value(right)
            }
            ExprKind::ToJson(inner) => self.gives_value(inner),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    /// Returns the fields that are proved to be set if the only `when` in the state `A` is true, and those that are
    /// proved to be set if it is false.
    fn proved_by(condition: &str) -> (Vec<String>, Vec<String>) {
        let text = format!(
            "{{ machine: M, data: {{ a: string?, b: string? }}, \
               commands: {{ go: /go, write: '/w {{x}}', ask: /ask, end: /end }}, \
               states: {{ none: {{ on: {{ go: A }} }}, \
               A: {{ on: {{ write: {{ set: {{ a: event.x, b: event.x }} }}, \
               ask: [{{ when: '{condition}', reply: \"yes\" }}, {{ reply: \"no\" }}], \
               end: {{ to: B, next: none }} }} }}, B: {{ final: true }} }} }}"
        );
        let mut sources = SourceMap::default();
        let file = sources.add("m.yaml", text);
        let machine = crate::compile(&sources, file)
            .machine
            .expect("a valid spec");
        let mut conditions = machine
            .transitions
            .iter()
            .filter_map(|one| one.when.as_ref());
        let condition = conditions.next().expect("a condition");
        let names = |truth| {
            let fields = implied(&machine, &condition.expr, truth).into_iter();
            fields
                .map(|field| machine.field(field).name.clone())
                .collect()
        };
        (names(true), names(false))
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn both_sides_of_an_and_are_proved_where_it_holds() {
        let (holds, fails) = proved_by("a is set and b is set");
        assert_eq!((holds, fails), (names(&["a", "b"]), names(&[])));
    }

    #[test]
    fn an_or_proves_only_what_both_sides_prove() {
        assert_eq!(proved_by("a is set or b is set").0, names(&[]));
        let condition = "(a is set and b is set) or (a is set and now == now)";
        assert_eq!(proved_by(condition).0, names(&["a"]));
    }

    #[test]
    fn a_condition_that_fails_proves_the_opposite() {
        assert_eq!(
            proved_by("a is not set or b is not set").1,
            names(&["a", "b"])
        );
        assert_eq!(
            proved_by("not (a is set implies b is not set)").0,
            names(&["a", "b"])
        );
        assert_eq!(proved_by("a is not set").1, names(&["a"]));
    }

    fn codes(spec: &str) -> Vec<&'static str> {
        let mut sources = SourceMap::default();
        let file = sources.add("m.yaml", spec);
        let found = crate::compile(&sources, file).diagnostics;
        found
            .iter()
            .map(|found| found.code.as_str())
            .filter(|code| *code != "PM0702")
            .collect()
    }

    /// Returns a spec in which two leaves share a transition whose `??` falls back to a field that
    /// is in the `has` of only one of the leaves.
    fn shared_rewrite(to: &str) -> String {
        format!(
            "{{ machine: M, data: {{ a: string? }}, \
               commands: {{ go: /go, write: '/w {{x?}}', fill: '/f {{x}}', end: /end }}, \
               states: {{ none: {{ on: {{ go: EMPTY }} }}, \
               open: {{ on: {{ write: {{ {to} set: {{ a: event.x ?? a }} }}, \
               fill: {{ to: FULL, set: {{ a: event.x }} }}, end: {{ to: END, next: none }} }}, \
               states: {{ EMPTY: {{}}, FULL: {{ has: [a] }} }} }}, END: {{ final: true }} }} }}"
        )
    }

    #[test]
    fn more_may_be_known_in_one_leaf_than_in_all_that_share_a_transition() {
        assert_eq!(codes(&shared_rewrite("")), Vec::<&str>::new());
        assert_eq!(codes(&shared_rewrite("to: FULL,")), vec!["PM0403"]);
    }
}
