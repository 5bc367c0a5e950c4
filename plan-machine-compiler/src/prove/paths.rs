//! The state space, indexed by node: the edges from and to each node, for searches that visit every edge once.

use super::explore::{Node, Space};

/// The edges and choices of each node, given by their indices in the state space.
pub(super) struct Paths {
    /// For each node: the edges that start at it.
    from: Vec<Vec<usize>>,
    /// For each node: the edges after which the slot holds it.
    to: Vec<Vec<usize>>,
    /// For each node: the choices that may lead to it.
    choices_to: Vec<Vec<usize>>,
}

impl Paths {
    pub(super) fn of(space: &Space) -> Self {
        let nowhere = || vec![Vec::new(); space.configs.len()];
        let mut paths = Self {
            from: nowhere(),
            to: nowhere(),
            choices_to: nowhere(),
        };
        for (at, edge) in space.edges.iter().enumerate() {
            paths.from[edge.from.index()].push(at);
            paths.to[edge.to.index()].push(at);
        }
        for (at, choice) in space.choices.iter().enumerate() {
            for edge in &choice.edges {
                let to = space.edges[*edge].to;
                paths.choices_to[to.index()].push(at);
            }
        }
        paths
    }

    pub(super) fn from(&self, node: Node) -> &[usize] {
        &self.from[node.index()]
    }

    pub(super) fn to(&self, node: Node) -> &[usize] {
        &self.to[node.index()]
    }

    pub(super) fn choices_to(&self, node: Node) -> &[usize] {
        &self.choices_to[node.index()]
    }
}
