//! Records, and the set of records that a session holds.

use std::sync::Arc;

use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::timers::Timer;

use crate::model::value::Value;
use crate::model::{Machine, StateId};

/// The position of a record in the state tree: currently one leaf; with parallel regions, there could be several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    leaf: StateId,
}

impl Configuration {
    /// Returns the configuration that consists of this leaf.
    #[must_use]
    pub fn at(leaf: StateId) -> Self {
        Self { leaf }
    }

    /// Returns the leaf of the configuration.
    #[must_use]
    pub fn leaf(self) -> StateId {
        self.leaf
    }
}

/// One plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The id of the record.
    pub id: Arc<str>,
    /// The position of the record in the state tree.
    pub configuration: Configuration,
    /// The values of the fields, in the order of the spec.
    pub data: Vec<Value>,
    /// The revision, which is incremented by each step that moves or changes the record.
    pub revision: u64,
    /// The edition, which is increased by each step that writes a reviewed field.
    pub edition: u64,
    /// The id of the record that this record succeeded.
    pub previous: Option<Arc<str>>,
    /// The timers of the record, in the order of the machine's timers; empty if the machine has no timers.
    pub timers: Vec<Timer>,
}

impl Record {
    /// Returns the leaf that the record is in.
    #[must_use]
    pub fn leaf(&self) -> StateId {
        self.configuration.leaf()
    }
}

/// The records of a session in order of creation, and which of them is in the slot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeldRecords {
    /// All records, including those that have ended.
    pub records: Vec<Record>,
    /// The index of the record in the slot; machines with many plans have no slot.
    pub slot: Option<usize>,
    /// The editions that records of the session, including deleted records, have had.
    pub editions: Editions,
}

impl HeldRecords {
    /// Returns the record in the slot.
    #[must_use]
    pub fn in_slot(&self) -> Option<&Record> {
        self.slot.map(|index| &self.records[index])
    }

    /// Returns the index of the record with this id.
    #[must_use]
    pub fn position(&self, id: &str) -> Option<usize> {
        self.records.iter().position(|record| &*record.id == id)
    }

    /// Returns the state of the slot: the leaf of its record, or `none`.
    #[must_use]
    pub fn leaf(&self) -> StateId {
        self.in_slot().map_or(StateId::NONE, Record::leaf)
    }

    /// Returns the machine's own tools that the model currently sees, sorted by name.
    #[must_use]
    pub fn advertised<'m>(&self, machine: &'m Machine) -> Vec<&'m str> {
        let mut leaves = vec![StateId::NONE];
        if machine.is_many() {
            leaves.extend(self.records.iter().map(Record::leaf));
        } else {
            leaves = vec![self.leaf()];
        }
        leaves.sort();
        leaves.dedup();
        let mut names: Vec<&str> = leaves
            .into_iter()
            .flat_map(|leaf| machine.advertised(leaf))
            .map(|tool| machine.event(tool).name.as_str())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
