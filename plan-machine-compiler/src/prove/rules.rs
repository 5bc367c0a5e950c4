//! Rules about states and alternatives that need the whole exploration, because they take data into account.

use std::collections::BTreeSet;

use super::explore::{Edge, Node, Space};
use super::paths::Paths;
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::{HandlerKind, Machine};
use crate::model::{StateId, TransitionId};

/// Reports states and alternatives that conditions and data make unreachable, and states that a plan may be unable to
/// leave or from which it may be unable to end.
pub(super) fn check(machine: &Machine, space: &Space, paths: &Paths, sink: &mut Sink) {
    let reached: BTreeSet<StateId> = space.nodes().map(|node| space.leaf(node)).collect();
    let taken: BTreeSet<TransitionId> = space.edges.iter().map(|edge| edge.taken).collect();
    let unreached: Vec<StateId> = machine
        .leaves()
        .filter(|leaf| !reached.contains(leaf))
        .collect();
    for leaf in &unreached {
        sink.push(unreachable(machine, *leaf, &reached));
    }
    // If a state is unreachable, so are its alternatives and the states that only these alternatives lead to.
    if unreached.is_empty() {
        never_taken(machine, &taken, sink);
        cannot_leave(machine, space, paths, sink);
    }
}

/// PM0203: a state that conditions and data make unreachable.
fn unreachable(machine: &Machine, leaf: StateId, reached: &BTreeSet<StateId>) -> Diagnostic {
    let name = &machine.state(leaf).name;
    let message = format!("no plan can ever be in `{name}`");
    let mut found = Diagnostic::new(Code::PM0203, machine.state(leaf).span, message)
        .label("this state is unreachable")
        .help("relax the condition of the transition to this state, or set the data that the condition depends on");
    let into: Vec<TransitionId> = machine
        .transition_ids()
        .filter(|id| leads_to(machine, *id, leaf))
        .collect();
    let is_tried = |id: &TransitionId| {
        let users = machine.users(machine.transition(*id).handler);
        users.iter().any(|user| reached.contains(user))
    };
    // A transition that a plan can try explains more than a transition in a state that no plan can be in.
    let tried = into.iter().copied().find(is_tried);
    if let Some(id) = tried.or(into.first().copied()) {
        let handler = machine.handler(machine.transition(id).handler);
        let event = &machine.event(handler.event).name;
        let why = match tried {
            Some(id) => never_taken_because(machine, id),
            None => "no plan can ever be here".to_owned(),
        };
        found = found.also(
            handler.span,
            format!("`{event}` leads to `{name}`, but {why}"),
        );
    }
    found
}

/// Returns whether a plan is in the leaf after the transition.
fn leads_to(machine: &Machine, id: TransitionId, leaf: StateId) -> bool {
    let transition = machine.transition(id);
    let target = transition.to.map(|to| machine.state(to).initial_leaf);
    target == Some(leaf) || machine.successor(transition) == Some(leaf)
}

/// Says why a transition is never taken, although plans can be in its state. A condition is named only if nothing else
/// can be the reason: no other condition, and no earlier alternative.
fn never_taken_because(machine: &Machine, id: TransitionId) -> String {
    let transition = machine.transition(id);
    let when = transition.when.iter();
    let required = transition.require.iter().map(|require| &require.that);
    let mut conditions = when.chain(required);
    let is_first = match &machine.handler(transition.handler).kind {
        HandlerKind::Transitions(all) => all.first() == Some(&id),
        HandlerKind::Run | HandlerKind::Deny => false,
    };
    match (conditions.next(), conditions.next()) {
        (Some(only), None) if is_first => format!("`{}` never holds here", only.text),
        _ => "this transition is never taken here".to_owned(),
    }
}

/// PM0302: an alternative that is never taken.
fn never_taken(machine: &Machine, taken: &BTreeSet<TransitionId>, sink: &mut Sink) {
    for handler in &machine.handlers {
        let HandlerKind::Transitions(alternatives) = &handler.kind else {
            continue;
        };
        for id in alternatives.iter().filter(|id| !taken.contains(id)) {
            let transition = machine.transition(*id);
            let Some(when) = &transition.when else {
                continue;
            };
            let state = &machine.state(handler.state).name;
            let message = format!("this alternative can never be taken in `{state}`");
            let found = Diagnostic::new(Code::PM0302, when.expr.span, message)
                .label("never taken with the data that a plan can have here")
                .help("remove the alternative, or set the data that its condition depends on");
            sink.push(found);
        }
    }
}

/// PM0204: leaf states that a plan can never leave. PM0206: leaf states from which a plan with some reachable data can
/// never end.
fn cannot_leave(machine: &Machine, space: &Space, paths: &Paths, sink: &mut Sink) {
    let left: BTreeSet<StateId> = space
        .edges
        .iter()
        .filter(|edge| leaves_its_state(space, edge))
        .map(|edge| space.leaf(edge.from))
        .collect();
    let ends = ends(machine, space, paths);
    let endless: BTreeSet<StateId> = space
        .nodes()
        .filter(|node| space.held[node.index()] && !ends[node.index()])
        .map(|node| space.leaf(node))
        .collect();
    // If even the graph without data has no path, this has already been reported.
    let told = sink.has(Code::PM0206);
    for leaf in machine.leaves() {
        if leaf == StateId::NONE || machine.is_final(leaf) {
            continue;
        }
        if !left.contains(&leaf) {
            sink.push(cannot_be_left(machine, leaf));
        } else if endless.contains(&leaf) && !told {
            sink.push(may_never_end(machine, leaf));
        }
    }
}

fn leaves_its_state(space: &Space, edge: &Edge) -> bool {
    let moved = edge
        .record
        .is_some_and(|after| space.leaf(after) != space.leaf(edge.from));
    moved || edge.created.is_some() || edge.to == Node::NONE
}

fn cannot_be_left(machine: &Machine, leaf: StateId) -> Diagnostic {
    let state = machine.state(leaf);
    let message = format!("a plan can never leave `{}`", state.name);
    Diagnostic::new(Code::PM0204, state.span, message)
        .label("the conditions of the transitions out of this state never hold")
        .help("relax one of these conditions, or set the data that it depends on")
}

fn may_never_end(machine: &Machine, leaf: StateId) -> Diagnostic {
    let state = machine.state(leaf);
    let message = format!("a plan in `{}` may be unable to end", state.name);
    Diagnostic::new(Code::PM0206, state.span, message)
        .label("with some data, no path leads to a final state from here")
        .help("add a command that ends the plan, whatever its data is")
}

/// Returns the nodes from which some path leads to a final state or to `none`.
fn ends(machine: &Machine, space: &Space, paths: &Paths) -> Vec<bool> {
    let mut ends: Vec<bool> = space
        .nodes()
        .map(|node| node == Node::NONE || machine.is_final(space.leaf(node)))
        .collect();
    for edge in &space.edges {
        let record = edge.record.map(|record| space.leaf(record));
        if record.is_some_and(|leaf| machine.is_final(leaf)) {
            ends[edge.from.index()] = true;
        }
    }
    let mut open: Vec<Node> = space.nodes().filter(|node| ends[node.index()]).collect();
    while let Some(node) = open.pop() {
        for at in paths.to(node) {
            let from = space.edges[*at].from;
            if !std::mem::replace(&mut ends[from.index()], true) {
                open.push(from);
            }
        }
    }
    ends
}
