//! Exposes the exploration to tests that compare it with runs of the interpreter. Nothing else uses this module.

use super::candidates::Candidates;
use super::config::Config;
use super::explore::{Node, Space};
use super::explored;
use super::measures::TrackedMeasures;
use super::notes::Unset;
use super::relevance::Relevant;
use crate::model::{Checked, Machine, TransitionId};
use crate::semantics::Record;

/// Everything that a machine can reach, as far as the exploration has found it.
pub struct Explored<'m> {
    machine: &'m Machine,
    relevant: Relevant,
    space: Space,
}

impl<'m> Explored<'m> {
    /// Explores a machine, with every measure of a list that the prover may track.
    #[must_use]
    pub fn of(machine: &'m Checked<Machine>) -> Self {
        let mut relevant = Relevant::of(machine, &[], TrackedMeasures::Asked);
        let candidates = Candidates::of(machine, &relevant.cells);
        let unset = Unset::default();
        let space = explored(machine, &mut relevant, &candidates, &unset, false);
        Self {
            machine,
            relevant,
            space,
        }
    }

    /// Returns whether everything was examined; if not, nothing can be concluded from the exploration.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.space.complete
    }

    /// Returns whether the reachable configurations cover a record.
    #[must_use]
    pub fn holds(&self, record: &Record) -> bool {
        let record = Config::of(self.machine, &self.relevant, record);
        let mut configs = self.space.configs.iter().flatten();
        configs.any(|config| config.stands_for(&record))
    }

    /// Returns whether the exploration contains a step, given the record before the step, the same record after it, and
    /// a record that the step started.
    #[must_use]
    pub fn has_step(
        &self,
        before: Option<&Record>,
        taken: TransitionId,
        after: Option<&Record>,
        created: Option<&Record>,
    ) -> bool {
        let config = |record: &Record| Config::of(self.machine, &self.relevant, record);
        let before = before.map(config);
        let after = after.map(config);
        let created = created.map(config);
        let fits = |node: Option<Node>, wanted: Option<&Config>| match (node, wanted) {
            (None, None) => true,
            (Some(node), Some(wanted)) => self.space.configs[node.index()]
                .as_ref()
                .is_some_and(|config| config.stands_for(wanted)),
            _ => false,
        };
        self.space.edges.iter().any(|edge| {
            let from = Some(edge.from).filter(|node| *node != Node::NONE);
            edge.taken == taken
                && fits(from, before.as_ref())
                && fits(edge.record, after.as_ref())
                && fits(edge.created, created.as_ref())
        })
    }
}
