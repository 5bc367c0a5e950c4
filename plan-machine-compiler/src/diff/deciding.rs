//! The data that decides whether an event is accepted, or whether a host tool runs. For example, a different value in
//! `owner` can change who may approve, even if every condition is the same.

use std::collections::BTreeSet;

use super::Version;
use super::changes::{Change, Concern, Fact, compare};
use super::facts::Facts;
use super::handling::writes;
use crate::model::FieldId;
use crate::model::expr::{Expr, ExprKind};
use crate::model::machine::{EventKind, Machine, Transition};
use crate::syntax::ast::{Field, Handler, HandlerKind, Spec, State};
use crate::syntax::dsl::line;

/// Returns the changes to the fields on which decisions depend in either version: to their initial values, and to the
/// values that are written to them.
pub(super) fn changes(old: Version<'_>, new: Version<'_>) -> Vec<Change> {
    let mut found = Vec::new();
    for concern in [Concern::Gating, Concern::Approval] {
        let mut fields = deciding(old.machine, concern);
        fields.extend(deciding(new.machine, concern));
        let facts = |spec| facts(spec, &fields, concern);
        found.extend(compare(&facts(old.spec), &facts(new.spec)));
    }
    found
}

/// A field on which a decision depends.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Source<Name> {
    Data(Name),
    Context(Name),
}

/// Returns the fields on which decisions depend: the fields that the conditions for this concern read, and the fields
/// whose values are written to such a field.
fn deciding(machine: &Machine, concern: Concern) -> BTreeSet<Source<String>> {
    let mut fields = BTreeSet::new();
    for transition in &machine.transitions {
        for condition in conditions(machine, transition, concern) {
            read(condition, &mut fields);
        }
    }
    loop {
        let known = fields.len();
        for change in machine.transitions.iter().flat_map(|taken| &taken.changes) {
            if fields.contains(&Source::Data(change.field)) {
                for value in change.kind.expressions() {
                    read(value, &mut fields);
                }
            }
        }
        if fields.len() == known {
            break;
        }
    }
    let named = fields.into_iter().map(|field| match field {
        Source::Data(field) => Source::Data(machine.field(field).name.clone()),
        Source::Context(field) => Source::Context(machine.context[field.index()].name.clone()),
    });
    named.collect()
}

/// Returns the conditions of a transition on which decisions depend. For a host tool, the `when` and the requirements
/// decide whether the tool runs. For a command, the `when` and the requirements decide who can move a plan; for any
/// other event, only the requirements are returned.
fn conditions<'m>(
    machine: &Machine,
    transition: &'m Transition,
    concern: Concern,
) -> Vec<&'m Expr> {
    let event = machine.handler(transition.handler).event;
    let (of, reads_when) = match machine.event(event).kind {
        EventKind::External | EventKind::Other => (Concern::Gating, true),
        EventKind::Command(_) => (Concern::Approval, true),
        EventKind::Signal | EventKind::Tool { .. } | EventKind::Timer(_) => {
            (Concern::Approval, false)
        }
    };
    if of != concern {
        return Vec::new();
    }
    let when = transition.when.iter().filter(|_| reads_when);
    let required = transition.require.iter().map(|require| &require.that);
    when.chain(required).map(|found| &found.expr).collect()
}

fn read(expr: &Expr, fields: &mut BTreeSet<Source<FieldId>>) {
    expr.walk(&mut |inner| match inner.kind {
        ExprKind::Data(field) => {
            fields.insert(Source::Data(field));
        }
        ExprKind::Context(field) => {
            fields.insert(Source::Context(field));
        }
        _ => {}
    });
}

/// Returns one fact for each field: its initial value, and everything that is written to it. A field of the context
/// only has an initial value, because the host writes the context.
fn facts(spec: &Spec, fields: &BTreeSet<Source<String>>, concern: Concern) -> Vec<Fact> {
    let mut facts = Facts::default();
    for field in fields {
        let (name, parts) = match field {
            Source::Data(name) => (name.clone(), data(spec, name)),
            Source::Context(name) => (format!("context.{name}"), default(&spec.context, name)),
        };
        if !parts.is_empty() {
            facts.marked(concern, "condition field", &name, parts);
        }
    }
    facts.into_all()
}

fn data(spec: &Spec, name: &str) -> Vec<String> {
    let mut parts = default(&spec.data, name);
    if let Some(handler) = &spec.other_tools {
        written(name, "other_tools", handler, &mut parts);
    }
    for state in &spec.states {
        written_in(name, state, &mut parts);
    }
    parts
}

fn default(fields: &[Field], name: &str) -> Vec<String> {
    let named = fields.iter().filter(|field| field.name.node == name);
    let default = named.filter_map(|field| field.default.as_ref());
    default
        .map(|value| format!("default {}", line::literal(value)))
        .collect()
}

fn written_in(field: &str, state: &State, parts: &mut Vec<String>) {
    let name = &state.name.node;
    if let Some(handler) = &state.other_tools {
        written(field, &format!("{name} other_tools"), handler, parts);
    }
    for (event, handler) in &state.on {
        written(field, &format!("{name} {}", event.node), handler, parts);
    }
    for timer in &state.after {
        let place = format!("{name} after {}", timer.period.node);
        written(field, &place, &timer.handler, parts);
    }
    for child in state.states.iter().flatten() {
        written_in(field, child, parts);
    }
}

fn written(field: &str, place: &str, handler: &Handler, parts: &mut Vec<String>) {
    let HandlerKind::Transitions(all) = &handler.kind else {
        return;
    };
    for transition in all {
        let when = transition.when.iter();
        let when = when.map(|when| format!(", when {}", line::condition(when)));
        let place = format!("{place}{}", when.collect::<String>());
        let here = writes(transition).into_iter();
        let here = here.filter(|(list, _)| *list == field);
        parts.extend(here.map(|(_, words)| format!("{place}: {words}")));
    }
}

#[cfg(test)]
mod tests {
    use crate::diff::test_kit::replacing;
    use crate::diff::{Change, Concern, Kind};

    const OLD: &str = "
machine: Change
context: { user: string }
data: { owner: string?, asked: string?, note: string?, open: { type: bool, default: true } }
commands: { begin: '/begin {note}', hand_over: '/give {to}', approve: /approve, end: /end }
states:
  none: { on: { begin: { to: OPEN, set: { asked: context.user, note: event.note } } } }
  OPEN:
    on:
      hand_over: [{ when: open, set: { owner: asked } }, { set: { open: true } }]
      approve: { to: DONE, next: none, require: [{ that: owner is set and owner == context.user, else: not yours }] }
      end: { to: DONE, next: none }
  DONE: { final: true }
";

    /// Returns the changes to the fields on which decisions depend, if a part of the spec is replaced.
    fn marked(from: &str, to: &str) -> Vec<Change> {
        let mut changes = replacing(OLD, from, to);
        changes.retain(|change| change.what == "condition field");
        changes
    }

    #[test]
    fn a_changed_value_of_a_field_that_a_requirement_reads_is_marked() {
        let found = marked("owner: asked", "owner: context.user");
        let [change] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(change.concern, Some(Concern::Approval));
        assert_eq!((change.kind, &*change.name), (Kind::Changed, "owner"));
        assert_eq!(
            change.detail,
            "OPEN hand_over, when open: set owner: asked → OPEN hand_over, when open: set owner: context.user"
        );
    }

    #[test]
    fn the_fields_that_such_a_value_comes_from_are_marked_too() {
        let found = marked("asked: context.user", "asked: event.note");
        let [change] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(change.name, "asked");
    }

    #[test]
    fn an_initial_value_that_a_command_depends_on_is_marked() {
        let found = marked("default: true", "default: false");
        let [change] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(&*change.name, "open");
        assert_eq!(change.detail, "default true → default false");
    }

    #[test]
    fn a_value_that_a_timer_writes_is_marked() {
        let with_timer = |owner: &str| {
            format!("  OPEN:\n    after: {{ 1h: {{ set: {{ owner: {owner} }} }} }}\n    on:\n")
        };
        let old = OLD.replace("  OPEN:\n    on:\n", &with_timer("asked"));
        let mut found = replacing(&old, &with_timer("asked"), &with_timer("note"));
        found.retain(|change| change.what == "condition field");
        let change = found.iter().find(|change| change.name == "owner");
        let change = change.unwrap_or_else(|| panic!("{found:?}"));
        assert_eq!(change.concern, Some(Concern::Approval));
        assert!(
            change.detail.contains("OPEN after 1h: set owner: note"),
            "{}",
            change.detail
        );
    }

    #[test]
    fn data_that_no_condition_reads_is_not_marked() {
        let found = marked("note: event.note", "note: context.user");
        assert!(found.is_empty(), "{found:?}");
    }
}
