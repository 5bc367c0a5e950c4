//! PM0206: from every reachable state, a final state or `none` can be reached.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::Machine;
use crate::model::{HandlerId, StateId};

use super::graph::{Graph, alternatives};
use super::{inescapable_state, words};

pub(super) fn check(machine: &Machine, graph: &Graph, sink: &mut Sink) {
    let ends = leads_to_an_end(machine, graph);
    let lost: Vec<StateId> = machine
        .leaves()
        .filter(|leaf| graph.is_reached(*leaf) && !ends[leaf.index()])
        .collect();
    for region in regions(machine, graph, &lost) {
        sink.push(report(machine, &region));
    }
}

/// Returns, for each leaf, whether some path from it leads to a final state or takes the record out of the slot. A leaf
/// that cannot be left at all counts as an end: PM0204 reports that leaf, and fixing it also fixes the paths that lead
/// to it.
fn leads_to_an_end(machine: &Machine, graph: &Graph) -> Vec<bool> {
    let mut ends = vec![false; machine.states.len()];
    let mut open: Vec<StateId> = machine
        .leaves()
        .filter(|leaf| {
            let releases = |id| machine.transition(id).next.is_some();
            *leaf == StateId::NONE
                || machine.is_final(*leaf)
                || inescapable_state::is_stuck(machine, graph, *leaf)
                || graph.transitions(machine, *leaf).any(releases)
        })
        .collect();
    for leaf in &open {
        ends[leaf.index()] = true;
    }
    let mut into = handlers_into(machine);
    while let Some(leaf) = open.pop() {
        for handler in std::mem::take(&mut into[leaf.index()]) {
            for from in graph.users(handler) {
                if !std::mem::replace(&mut ends[from.index()], true) {
                    open.push(*from);
                }
            }
        }
    }
    ends
}

/// Returns, for each leaf, the handlers that move a record to it.
fn handlers_into(machine: &Machine) -> Vec<Vec<HandlerId>> {
    let mut into = vec![Vec::new(); machine.states.len()];
    for transition in &machine.transitions {
        if let Some(to) = transition.to {
            into[machine.state(to).initial_leaf.index()].push(transition.handler);
        }
    }
    into
}

/// Divides the leaves in `lost` into groups that transitions connect; each group is in the order of the spec.
fn regions(machine: &Machine, graph: &Graph, lost: &[StateId]) -> Vec<Vec<StateId>> {
    let mut group: Vec<usize> = (0..machine.states.len()).collect();
    for leaf in lost {
        for handler in graph.entries(*leaf) {
            for id in alternatives(machine, *handler) {
                let target = machine.target(*leaf, machine.transition(*id));
                let (one, other) = (
                    root(&mut group, leaf.index()),
                    root(&mut group, target.index()),
                );
                group[one.max(other)] = one.min(other);
            }
        }
    }
    let mut regions: Vec<(usize, Vec<StateId>)> = Vec::new();
    for leaf in lost {
        let key = root(&mut group, leaf.index());
        match regions.iter_mut().find(|(known, _)| *known == key) {
            Some((_, region)) => region.push(*leaf),
            None => regions.push((key, vec![*leaf])),
        }
    }
    regions.into_iter().map(|(_, region)| region).collect()
}

/// Returns the smallest member of a group, shortening the path to it for the next lookup.
fn root(group: &mut [usize], mut at: usize) -> usize {
    while group[at] != at {
        group[at] = group[group[at]];
        at = group[at];
    }
    at
}

fn report(machine: &Machine, region: &[StateId]) -> Diagnostic {
    let goal = if machine.is_many() {
        "a final state"
    } else {
        "a final state or back to `none`"
    };
    let message = format!(
        "no path leads from {} to {goal}",
        words::any_state(machine, region)
    );
    let (first, others) = (region[0], &region[1..]);
    let mut found = Diagnostic::new(Code::PM0206, machine.state(first).span, message)
        .label("a plan that reaches this state never ends");
    for other in others.iter().take(3) {
        found = found.also(
            machine.state(*other).span,
            "no such path leads from this state either",
        );
    }
    found.help(if others.is_empty() {
        "add a transition that leads to a final state"
    } else {
        "add a transition to a final state; one transition on a composite around these states is enough"
    })
}
