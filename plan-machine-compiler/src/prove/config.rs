//! Configurations: the facts about records that the abstraction contains.

use super::abstraction::{Abs, of_value};
use super::pairs::related_in;
use super::relevance::Relevant;
use crate::model::machine::Machine;
use crate::model::{FieldId, StateId};
use crate::semantics::Record;

/// The facts about a record that the abstraction contains.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Config {
    pub(super) leaf: StateId,
    /// The fields of the record, and then its tracked measures of lists.
    pub(super) data: Vec<Abs>,
    pub(super) previous: Abs,
    /// For each tracked pair of strings: whether they are equal, if known.
    pub(super) related: Vec<Option<bool>>,
}

impl Config {
    /// Returns the configuration of a record.
    pub(super) fn of(machine: &Machine, relevant: &Relevant, record: &Record) -> Self {
        let fields = machine.data.iter().zip(&record.data).enumerate();
        let data = fields.map(|(at, (field, value))| {
            if !relevant.data[at] {
                return Abs::Anything;
            }
            let value = of_value(machine, value, &field.ty);
            // A concrete number lies in exactly one of the distinguished ranges.
            let mut stored = relevant.cells.stored(FieldId::at(at), value);
            stored.pop().unwrap_or(Abs::Anything)
        });
        let measures = relevant.cells.measures.iter().map(|measure| {
            let list = &record.data[measure.tally.field.index()];
            measure.stored(measure.tally.number(machine, list))
        });
        let previous = match &record.previous {
            _ if !relevant.previous => Abs::Anything,
            Some(_) => Abs::Something,
            None => Abs::Unset,
        };
        Self {
            leaf: record.leaf(),
            data: data.chain(measures).collect(),
            previous,
            related: relevant
                .pairs
                .iter()
                .map(|pair| Some(related_in(pair, &record.data)))
                .collect(),
        }
    }

    /// Returns whether every record that this configuration represents has exactly this configuration.
    pub(super) fn is_exact(&self, relevant: &Relevant) -> bool {
        let mut data = self.data.iter().zip(&relevant.data);
        let is_exact = |value: &Abs| {
            matches!(
                value,
                Abs::Unset | Abs::Bool(_) | Abs::Enum(_) | Abs::Text { .. } | Abs::Empty
            )
        };
        data.all(|(value, relevant)| !relevant || is_exact(value))
            && (!relevant.previous || self.previous != Abs::Anything)
            && self.related.iter().all(Option::is_some)
    }

    /// Returns whether this configuration also represents the records that have the given configuration.
    pub(super) fn stands_for(&self, record: &Config) -> bool {
        let mut related = self.related.iter().zip(&record.related);
        self.leaf == record.leaf
            && self.previous.covers(&record.previous)
            && self.data.len() == record.data.len()
            && self
                .data
                .iter()
                .zip(&record.data)
                .all(|(abs, value)| abs.covers(value))
            && related.all(|(known, is)| known.is_none() || known == is)
    }
}
