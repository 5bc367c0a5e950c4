//! Concrete runs: a suspicion becomes a broken invariant only by a run of the interpreter that
//! breaks it.

mod breaks;
mod calls;
mod visits;

use visits::Visits;

use super::candidates::Candidates;
use super::config::Config;
use super::explore::{Node, Space};
use super::relevance::Relevant;
use super::trace::TraceStep;
use crate::model::Checked;
use crate::model::machine::{Machine, Property};
use crate::model::types::Type;
use crate::semantics::{HeldRecords, Record};

/// How many steps are tried while one run for each abstract place is enough.
const MAX_STEPS: usize = 200_000;
/// How many are tried where numbers, and then texts, are distinguished.
const MAX_EXACT_STEPS: usize = 20_000;

/// An invariant that a run is looked for.
pub(super) struct Wanted<'a> {
    pub(super) property: &'a Property,
    /// The nodes from which the target of a reachability cannot be reached, in their order.
    pub(super) stuck: &'a [Node],
}

impl Wanted<'_> {
    /// A reachability that is only in doubt has no run that breaks it.
    fn can_be_found(&self) -> bool {
        !matches!(self.property, Property::CanReach(..)) || !self.stuck.is_empty()
    }
}

/// Looks for runs.
pub(super) struct Search<'a> {
    machine: &'a Checked<Machine>,
    relevant: &'a Relevant,
    candidates: &'a Candidates,
    space: &'a Space,
    /// The nodes that may represent records of other configurations than their own.
    vague: Vec<Node>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        machine: &'a Checked<Machine>,
        relevant: &'a Relevant,
        candidates: &'a Candidates,
        space: &'a Space,
    ) -> Self {
        let is_vague = |node: &Node| {
            let config = space.configs[node.index()].as_ref();
            config.is_some_and(|config| !config.is_exact(relevant))
        };
        Self {
            machine,
            relevant,
            candidates,
            space,
            vague: space.nodes().filter(is_vague).collect(),
        }
    }
}

impl Search<'_> {
    /// A shortest run that breaks each of the wanted properties, where one is found.
    pub(super) fn runs(&self, wanted: &[Wanted<'_>]) -> Vec<Option<Vec<TraceStep>>> {
        let mut found: Vec<Option<Vec<TraceStep>>> = wanted.iter().map(|_| None).collect();
        for (at, one) in wanted.iter().enumerate() {
            if self.broken_at_once(one.property) {
                found[at] = Some(Vec::new());
            }
        }
        let steps = if self.relevant.cells.is_empty() {
            MAX_STEPS
        } else {
            MAX_EXACT_STEPS
        };
        Visits::new(self, wanted, &mut found, false).search(steps);
        if !self.tells_all() {
            Visits::new(self, wanted, &mut found, true).search(MAX_EXACT_STEPS);
        }
        found
    }

    /// Whether records of one abstract place go the same ways: then one run for each is enough, and
    /// a shortest one is a shortest of all.
    fn tells_all(&self) -> bool {
        let told = |ty: &Type| matches!(ty.required(), Type::Bool | Type::Enum(_));
        let fields = self.machine.data.iter().zip(&self.relevant.data);
        fields
            .filter(|(_, relevant)| **relevant)
            .all(|(field, _)| told(&field.ty))
    }

    /// What makes two sessions the same place.
    fn key(&self, held: &HeldRecords, exact: bool) -> String {
        let record = if self.machine.is_many() {
            held.records.last()
        } else {
            held.in_slot()
        };
        let Some(record) = record else {
            return String::new();
        };
        if exact {
            let succeeds = record.previous.is_some();
            return format!("{:?} {succeeds} {:?}", record.leaf(), record.data);
        }
        format!("{:?}", self.abstracted(record))
    }

    /// The nodes that represent what is held.
    fn nodes_of(&self, held: &HeldRecords) -> Vec<Node> {
        let record = if self.machine.is_many() {
            held.records.last()
        } else {
            held.in_slot()
        };
        let Some(record) = record.map(|record| self.abstracted(record)) else {
            return Vec::new();
        };
        let vague = self.vague.iter().copied().filter(|node| {
            let config = self.space.configs[node.index()].as_ref();
            config.is_some_and(|config| config.stands_for(&record))
        });
        vague.chain(self.space.node_of(&record)).collect()
    }

    /// The configuration that a record belongs to.
    fn abstracted(&self, record: &Record) -> Config {
        Config::of(self.machine, self.relevant, record)
    }
}
