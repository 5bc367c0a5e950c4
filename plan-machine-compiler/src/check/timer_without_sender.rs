//! PM0512: a timer has no context, so the entry and exit actions that the timer causes must not read `context`. (Name
//! resolution checks the rest of the rule.)

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::StateId;
use crate::model::expr::ExprKind;
use crate::model::machine::{Emit, Machine, Transition};

use super::graph::Graph;
use super::words;

pub(super) fn check(machine: &Machine, graph: &Graph, sink: &mut Sink) {
    for (event, _) in machine.timers() {
        for id in machine.transition_ids() {
            let transition = machine.transition(id);
            if machine.handler(transition.handler).event != event {
                continue;
            }
            if let Some(emit) = reading_context(machine, graph, transition) {
                let timer = words::event_of(machine, id);
                let message = format!("this effect reads `context`, but {timer} has none");
                let found = Diagnostic::new(Code::PM0512, emit.span, message);
                let found = found.also(machine.event(event).span, "the timer");
                sink.push(found.help("store the value in the data when it is known"));
            }
        }
    }
}

/// Returns an effect of an entry or exit action that reads the context, if the transition causes such an effect.
fn reading_context<'m>(
    machine: &'m Machine,
    graph: &Graph,
    transition: &Transition,
) -> Option<&'m Emit> {
    let leaves = graph.users(transition.handler).iter();
    let mut passed = leaves.flat_map(|leaf| passed(machine, transition, *leaf));
    passed.find(|emit| {
        emit.fields.iter().flatten().any(|field| {
            let mut reads = false;
            field.walk(&mut |inner| reads |= matches!(inner.kind, ExprKind::Context(_)));
            reads
        })
    })
}

/// Returns the effects of the states that are left and entered, including those of a successor.
fn passed<'m>(machine: &'m Machine, transition: &Transition, leaf: StateId) -> Vec<&'m Emit> {
    let mut all = Vec::new();
    if let Some(to) = transition.to {
        let (exits, entries) = machine.path(leaf, machine.state(to).initial_leaf);
        all.extend(exits.into_iter().flat_map(|id| &machine.state(id).exit));
        all.extend(entries.into_iter().flat_map(|id| &machine.state(id).enter));
    }
    if let Some(leaf) = machine.successor(transition) {
        let entries = machine.entries_from_root(leaf).into_iter();
        all.extend(entries.flat_map(|id| &machine.state(id).enter));
    }
    all
}
