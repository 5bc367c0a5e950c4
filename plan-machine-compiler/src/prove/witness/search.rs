//! The goals of a search for runs, and the mapping from the records of a run to configurations.

use super::super::calls::Calls;
use super::super::candidates::Candidates;
use super::super::config::Config;
use super::super::explore::{Node, Space};
use super::super::relevance::Relevant;
use crate::model::Checked;
use crate::model::machine::{Machine, Property};
use crate::model::types::Type;
use crate::semantics::{HeldRecords, Record};

/// An invariant for which the search tries to find a run that breaks it.
pub(in crate::prove) struct SearchTarget<'a> {
    pub(in crate::prove) property: &'a Property,
    /// For `can always reach`: the nodes from which the target cannot be reached, sorted.
    pub(in crate::prove) stuck: &'a [Node],
}

impl SearchTarget<'_> {
    /// Returns whether a run can show that the invariant is broken. For `can always reach`, this requires a node from
    /// which the target cannot be reached; a mere doubt is not enough.
    pub(super) fn can_be_found(&self) -> bool {
        !matches!(self.property, Property::CanReach(..)) || !self.stuck.is_empty()
    }
}

/// The maximum number of steps to try with `Effort::Short`.
#[cfg(feature = "tools")]
const MAX_SHORT_STEPS: usize = 1_000;

/// How long to search for a run that breaks an invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// As long as a person would wait for the shortest run.
    Whole,
    /// Only briefly: for mutants, it does not matter whether an invariant is broken or undecided.
    #[cfg(feature = "tools")]
    Short,
}

impl Effort {
    /// Returns the number of steps to try, given the number for the whole effort.
    pub(super) fn limited(self, steps: usize) -> usize {
        match self {
            Effort::Whole => steps,
            #[cfg(feature = "tools")]
            Effort::Short => steps.min(MAX_SHORT_STEPS),
        }
    }
}

/// Searches for runs.
pub(in crate::prove) struct Search<'a> {
    pub(super) machine: &'a Checked<Machine>,
    pub(super) relevant: &'a Relevant,
    pub(super) candidates: &'a Candidates,
    pub(super) space: &'a Space,
    /// The explored steps, which decide claims about calls.
    pub(super) steps: Calls<'a>,
    pub(super) effort: Effort,
    /// The nodes that may also represent records whose configuration differs from that of the node.
    pub(super) vague: Vec<Node>,
    /// For each node: whether the slot can hold it. No steps were explored from the other nodes.
    pub(super) in_slot: Vec<bool>,
}

impl<'a> Search<'a> {
    pub(in crate::prove) fn new(
        machine: &'a Checked<Machine>,
        relevant: &'a Relevant,
        candidates: &'a Candidates,
        steps: Calls<'a>,
        effort: Effort,
    ) -> Self {
        let space = steps.space;
        let is_vague = |node: &Node| {
            let config = space.configs[node.index()].as_ref();
            config.is_some_and(|config| !config.is_exact(relevant))
        };
        let mut in_slot = vec![false; space.configs.len()];
        for to in space.edges.iter().map(|edge| edge.to).chain([Node::NONE]) {
            in_slot[to.index()] = true;
        }
        Self {
            machine,
            relevant,
            candidates,
            space,
            steps,
            effort,
            in_slot,
            vague: space.nodes().filter(is_vague).collect(),
        }
    }
}

impl Search<'_> {
    /// Returns whether all records of one configuration take the same paths. If they do, one run per configuration is
    /// enough, and a shortest one of these runs is a shortest run overall.
    pub(super) fn tells_all(&self) -> bool {
        let told = |ty: &Type| matches!(ty.required(), Type::Bool | Type::Enum(_));
        let fields = self.machine.data.iter().zip(&self.relevant.data);
        fields
            .filter(|(_, relevant)| **relevant)
            .all(|(field, _)| told(&field.ty))
    }

    /// Returns the record that a search tracks: the record in the slot; in a machine with many plans, the newest
    /// record.
    pub(super) fn tracked<'h>(&self, held: &'h HeldRecords) -> Option<&'h Record> {
        if self.machine.is_many() {
            held.records.last()
        } else {
            held.in_slot()
        }
    }

    /// Returns the nodes that represent the tracked record.
    pub(super) fn nodes_of(&self, held: &HeldRecords) -> Vec<Node> {
        let record = self.tracked(held);
        record.map_or_else(Vec::new, |record| self.nodes_for(record))
    }

    /// Returns the nodes that represent a record.
    pub(super) fn nodes_for(&self, record: &Record) -> Vec<Node> {
        let record = self.abstracted(record);
        let vague = self.vague.iter().copied().filter(|node| {
            let config = self.space.configs[node.index()].as_ref();
            config.is_some_and(|config| config.stands_for(&record))
        });
        vague.chain(self.space.node_of(&record)).collect()
    }

    /// Returns the configuration of a record.
    pub(super) fn abstracted(&self, record: &Record) -> Config {
        Config::of(self.machine, self.relevant, record)
    }
}
