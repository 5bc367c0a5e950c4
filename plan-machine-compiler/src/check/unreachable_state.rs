//! PM0203: every state is reachable in the graph of transitions. The prover decides whether the conditions allow a plan
//! to reach the state.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::Machine;
use crate::model::{StateId, TransitionId};

use super::graph::Graph;
use super::words;

pub(super) fn check(machine: &Machine, graph: &Graph, sink: &mut Sink) {
    let reached = reached(machine, graph);
    if machine.states.len() > 1 && !reached[1..].contains(&true) {
        sink.push(nothing_starts(machine));
        return;
    }
    let ways = ways_in(machine);
    for id in machine.state_ids() {
        // If a composite is unreachable, only the composite is reported, not the states inside it.
        let outermost = machine
            .state(id)
            .parent
            .is_none_or(|parent| reached[parent.index()]);
        if !reached[id.index()] && outermost {
            sink.push(report(machine, id, &ways));
        }
    }
}

/// Returns, for each state, whether some leaf in it is reached.
fn reached(machine: &Machine, graph: &Graph) -> Vec<bool> {
    let mut reached = vec![false; machine.states.len()];
    for leaf in machine.leaves().filter(|leaf| graph.is_reached(*leaf)) {
        for state in machine.ancestry(leaf) {
            reached[state.index()] = true;
        }
    }
    reached
}

/// Returns, for each leaf, a transition that leads to it.
fn ways_in(machine: &Machine) -> Vec<Option<TransitionId>> {
    let mut ways = vec![None; machine.states.len()];
    for id in machine.transition_ids() {
        let transition = machine.transition(id);
        let target = transition.to.map(|to| machine.state(to).initial_leaf);
        for leaf in target.into_iter().chain(machine.successor(transition)) {
            ways[leaf.index()].get_or_insert(id);
        }
    }
    ways
}

fn nothing_starts(machine: &Machine) -> Diagnostic {
    let span = machine.state(StateId::NONE).span;
    Diagnostic::new(
        Code::PM0203,
        span,
        "no plan can ever start, so no state is reachable",
    )
    .label("no event in `none` leads to a state")
    .help("let an event in `none` lead to a state, for example `none: { on: { plan_on: DRAFT } }`")
}

fn report(machine: &Machine, id: StateId, ways: &[Option<TransitionId>]) -> Diagnostic {
    let state = machine.state(id);
    let name = &state.name;
    let message = format!("the state `{name}` can never be reached");
    let found = Diagnostic::new(Code::PM0203, state.span, message);
    let way = machine
        .leaves_under(id)
        .iter()
        .find_map(|leaf| ways[leaf.index()]);
    let Some(way) = way else {
        let words = if state.is_leaf() {
            "no event leads to this state"
        } else {
            "no event leads to a state inside this composite"
        };
        let help =
            format!("in a reachable state, add a transition with `to: {name}`, or remove `{name}`");
        return found.label(words).help(help);
    };
    found
        .label("every transition that leads to this state starts in an unreachable state")
        .also(words::place(machine, way), "for example, this transition")
        .help(format!(
            "add a transition from a reachable state, or remove `{name}`"
        ))
}
