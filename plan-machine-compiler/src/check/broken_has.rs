//! PM0403: after every step that ends in a state, the fields in the `has` of the state are set.

use crate::diagnostic::{Code, Diagnostic, Sink, SuspectKind};
use crate::model::machine::{ChangeKind, Machine, Next, Transition};
use crate::model::{FieldId, StateId, TransitionId};
use crate::source::Span;

use super::facts::{Way, proved};
use super::graph::Graph;
use super::words;

pub(super) fn check(machine: &Machine, graph: &Graph, sink: &mut Sink) {
    for id in machine.transition_ids() {
        let transition = machine.transition(id);
        let users = graph.users(transition.handler);
        if users.is_empty() || !can_break(machine, transition) {
            continue;
        }
        let proved = proved(machine, transition);
        let mut told: Vec<(StateId, FieldId)> = Vec::new();
        for from in users {
            let way = Way {
                machine,
                from: *from,
                proved: &proved,
                changes: &transition.changes,
            };
            for (leaf, field) in broken(&way, transition) {
                if !told.contains(&(leaf, field)) {
                    told.push((leaf, field));
                    let kind = SuspectKind::Has {
                        taken: id.0,
                        state: leaf.0,
                        field: field.0,
                    };
                    sink.suspect(report(&way, id, leaf, field), kind);
                }
            }
        }
    }
}

/// Returns whether a field in the `has` of a state may be unset after the transition. This is possible only if the
/// transition changes data or enters a state with fields in its `has`.
fn can_break(machine: &Machine, transition: &Transition) -> bool {
    let promises = |leaf: StateId| machine.has(leaf).next().is_some();
    let target = transition.to.map(|to| machine.state(to).initial_leaf);
    let entered = target.into_iter().chain(machine.successor(transition));
    !transition.changes.is_empty() || entered.into_iter().any(promises)
}

/// Returns the promises that may be broken after the step, each as a leaf and the field that may be unset in that leaf.
fn broken(way: &Way<'_>, transition: &Transition) -> Vec<(StateId, FieldId)> {
    let starts = way.from == StateId::NONE;
    if starts && transition.to.is_none() {
        return Vec::new();
    }
    let machine = way.machine;
    let successor = machine.successor(transition);
    let target = machine.target(way.from, transition);
    let before = |field| {
        if starts {
            way.at_start(field)
        } else {
            way.before(field)
        }
    };
    // If there is a successor, the data changes apply to it, and the record that ends keeps its data.
    let in_target = |field| match successor {
        Some(_) => before(field),
        None => way.after(field, before),
    };
    let in_successor = |field| match transition.next {
        Some(Next::Fresh(_)) => way.after(field, |field| way.at_start(field)),
        _ => way.after(field, before),
    };
    let target = machine
        .has(target)
        .filter(|field| !in_target(*field))
        .map(|field| (target, field));
    let successor = successor.into_iter().flat_map(|leaf| {
        let promised = machine.has(leaf).filter(|field| !in_successor(*field));
        promised.map(move |field| (leaf, field))
    });
    target.chain(successor).collect()
}

fn report(way: &Way<'_>, id: TransitionId, leaf: StateId, field: FieldId) -> Diagnostic {
    let machine = way.machine;
    let transition = machine.transition(id);
    let name = &machine.field(field).name;
    let (event, to) = (words::event_of(machine, id), words::state(machine, leaf));
    let from = words::state(machine, way.from);
    let message = format!("`{name}` may be unset in {to} after {event}");
    let label = if transition.to.is_none() && machine.successor(transition).is_none() {
        format!("taken in {from}, this transition leaves the plan in that state")
    } else {
        format!("taken in {from}, this transition leads to {to}")
    };
    let mut found = Diagnostic::new(Code::PM0403, words::place(machine, id), message).label(label);
    if let Some(span) = promise(machine, leaf, field) {
        found = found.also(span, format!("{to} promises that `{name}` is set"));
    }
    let ends =
        machine.successor(transition).is_some() && machine.target(way.from, transition) == leaf;
    if ends {
        return found.help(format!(
            "the data changes apply to the successor, and the plan that ends keeps its data: check the field with \
             `require` (`{name} is set`), or remove `{name}` from the `has` of {to}"
        ));
    }
    match way.change(field).map(|change| (&change.kind, change.span)) {
        Some((ChangeKind::Clear, span)) => found.also(span, "cleared here").help(format!(
            "move to a state that does not promise `{name}`, or do not clear `{name}`"
        )),
        Some((_, span)) => found
            .also(span, "set to an optional value, which may be unset")
            .help("provide a fallback value with `??`, or `require` that the value `is set`"),
        None => found.help(advice(transition, name)),
    }
}

/// Returns the position where the state, or a composite around it, lists the field in `has`.
fn promise(machine: &Machine, leaf: StateId, field: FieldId) -> Option<Span> {
    let mut promises = machine.ancestry(leaf).flat_map(|id| &machine.state(id).has);
    promises
        .find(|(known, _)| *known == field)
        .map(|(_, span)| *span)
}

/// Suggests how to keep a promise about a field that the transition does not write to.
fn advice(transition: &Transition, field: &str) -> String {
    match transition.next {
        Some(Next::Fresh(_)) => {
            format!("a fresh successor starts empty: `set` `{field}` in this step")
        }
        _ => format!(
            "`set` the field in this step, or check it first: `require: [{{ that: {field} is set, else: … }}]`"
        ),
    }
}
