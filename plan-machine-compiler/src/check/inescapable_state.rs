//! PM0204: every state that is not final can be left.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::StateId;
use crate::model::machine::{HandlerKind, Machine};

use super::graph::Graph;
use super::words;

pub(super) fn check(machine: &Machine, graph: &Graph, sink: &mut Sink) {
    for leaf in machine
        .leaves()
        .filter(|leaf| is_stuck(machine, graph, *leaf))
    {
        sink.push(report(machine, graph, leaf));
    }
}

/// Returns whether a record that reaches this leaf stays there forever although the leaf is not final.
pub(super) fn is_stuck(machine: &Machine, graph: &Graph, leaf: StateId) -> bool {
    let open = leaf != StateId::NONE && !machine.is_final(leaf) && graph.is_reached(leaf);
    open && !graph.transitions(machine, leaf).any(|id| {
        let transition = machine.transition(id);
        transition.next.is_some() || machine.target(leaf, transition) != leaf
    })
}

fn report(machine: &Machine, graph: &Graph, leaf: StateId) -> Diagnostic {
    let name = words::state(machine, leaf);
    let message = format!("{name} can never be left, but it is not final");
    let found = Diagnostic::new(Code::PM0204, machine.state(leaf).span, message)
        .label("no transition leaves this state")
        .help("add a transition with `to`, or write `final: true` if a plan is meant to end here");
    let mut entries = graph.entries(leaf).iter().map(|id| machine.handler(*id));
    match entries.find(|handler| matches!(handler.kind, HandlerKind::Deny)) {
        Some(denied) => found.also(denied.span, "this denies an inherited entry"),
        None => found,
    }
}
