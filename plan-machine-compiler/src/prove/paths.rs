//! The space indexed by node: the edges from and to each, for searches that visit every edge once.

use super::explore::{Node, Space};

/// Edges and choices by the nodes that they connect, each given by its index in the space.
pub(super) struct Paths {
    /// For each node: the edges that begin there.
    from: Vec<Vec<usize>>,
    /// For each node: the edges after which it is held.
    to: Vec<Vec<usize>>,
    /// For each node: the choices that may lead there.
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
