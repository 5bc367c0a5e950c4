//! Determines which `on` entries apply in each leaf, and which leaves can be reached from `none` if conditions are
//! ignored.

use crate::model::machine::{HandlerKind, Machine};
use crate::model::{HandlerId, StateId, TransitionId};

/// The machine as a graph of leaves, built once for all rules. Inheritance is resolved here, so that no rule has to
/// search the ancestors of a state for every event.
pub(super) struct Graph {
    /// For each leaf, the `on` entries that apply in it.
    entries: Vec<Vec<HandlerId>>,
    /// For each handler, the leaves in which it applies.
    users: Vec<Vec<StateId>>,
    /// For each leaf, whether some sequence of events leads to it.
    reached: Vec<bool>,
    /// For each leaf, a transition after which the slot contains a record in that leaf.
    held_after: Vec<Option<TransitionId>>,
}

/// Returns the alternatives of a handler; `run` and `deny` have none.
pub(super) fn alternatives(machine: &Machine, handler: HandlerId) -> &[TransitionId] {
    match &machine.handler(handler).kind {
        HandlerKind::Transitions(alternatives) => alternatives,
        HandlerKind::Run | HandlerKind::Deny => &[],
    }
}

impl Graph {
    pub(super) fn new(machine: &Machine) -> Self {
        let entries = entries(machine);
        let mut users = vec![Vec::new(); machine.handlers.len()];
        for leaf in machine.leaves() {
            for handler in &entries[leaf.index()] {
                users[handler.index()].push(leaf);
            }
        }
        let mut graph = Self {
            entries,
            users,
            reached: vec![false; machine.states.len()],
            held_after: vec![None; machine.states.len()],
        };
        graph.explore(machine);
        graph
    }

    /// Explores everything that can be reached from `none`. A transition's target does not depend on the leaf that
    /// takes it, so each handler is examined once.
    fn explore(&mut self, machine: &Machine) {
        let mut looked_at = vec![false; machine.handlers.len()];
        let mut open = vec![StateId::NONE];
        self.reached[StateId::NONE.index()] = true;
        while let Some(leaf) = open.pop() {
            for handler in &self.entries[leaf.index()] {
                if std::mem::replace(&mut looked_at[handler.index()], true) {
                    continue;
                }
                for id in alternatives(machine, *handler) {
                    let transition = machine.transition(*id);
                    let successor = machine.successor(transition);
                    let target = transition.to.map(|to| machine.state(to).initial_leaf);
                    let held = if transition.next.is_some() {
                        successor
                    } else {
                        target
                    };
                    if let Some(held) = held {
                        self.held_after[held.index()].get_or_insert(*id);
                    }
                    for leaf in target.into_iter().chain(successor) {
                        if !std::mem::replace(&mut self.reached[leaf.index()], true) {
                            open.push(leaf);
                        }
                    }
                }
            }
        }
    }

    /// Returns the entries that apply in a leaf, including inherited ones.
    pub(super) fn entries(&self, leaf: StateId) -> &[HandlerId] {
        &self.entries[leaf.index()]
    }

    /// Returns the transitions that a record in a leaf may take.
    pub(super) fn transitions<'a>(
        &'a self,
        machine: &'a Machine,
        leaf: StateId,
    ) -> impl Iterator<Item = TransitionId> + 'a {
        let entries = self.entries(leaf).iter();
        entries.flat_map(|handler| alternatives(machine, *handler).iter().copied())
    }

    /// Returns the leaves in which a handler applies.
    pub(super) fn users(&self, handler: HandlerId) -> &[StateId] {
        &self.users[handler.index()]
    }

    /// Returns whether some sequence of events leads to a leaf.
    pub(super) fn is_reached(&self, leaf: StateId) -> bool {
        self.reached[leaf.index()]
    }

    /// Returns a transition after which the slot contains a record in this leaf.
    pub(super) fn held_after(&self, leaf: StateId) -> Option<TransitionId> {
        self.held_after[leaf.index()]
    }

    /// Returns whether a model can see a record in this leaf: a record that leaves the slot in the step that reaches
    /// the leaf is never seen there.
    pub(super) fn is_held(&self, leaf: StateId) -> bool {
        leaf == StateId::NONE || self.held_after(leaf).is_some()
    }
}

/// Returns, for every leaf, the innermost entry for each event that the leaf or an ancestor handles.
fn entries(machine: &Machine) -> Vec<Vec<HandlerId>> {
    let mut entries = vec![Vec::new(); machine.states.len()];
    let mut seen_for = vec![None; machine.events.len()];
    for leaf in machine.leaves() {
        for state in machine.ancestry(leaf) {
            for (event, handler) in &machine.state(state).on {
                if seen_for[event.index()].replace(leaf) != Some(leaf) {
                    entries[leaf.index()].push(*handler);
                }
            }
        }
    }
    entries
}
