//! A record, as far as the abstraction tells.

use super::abstraction::{Abs, of_value};
use super::relevance::Relevant;
use crate::model::StateId;
use crate::model::machine::Machine;
use crate::semantics::Record;

/// A record, as far as the abstraction tells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Config {
    pub(super) leaf: StateId,
    pub(super) data: Vec<Abs>,
    pub(super) previous: Abs,
}

impl Config {
    /// The configuration that a record belongs to.
    pub(super) fn of(machine: &Machine, relevant: &Relevant, record: &Record) -> Self {
        let fields = machine.data.iter().zip(&record.data).zip(&relevant.data);
        let data = fields.map(|((field, value), relevant)| {
            if *relevant {
                of_value(machine, value, &field.ty)
            } else {
                Abs::Anything
            }
        });
        let previous = match &record.previous {
            _ if !relevant.previous => Abs::Anything,
            Some(_) => Abs::Something,
            None => Abs::Unset,
        };
        Self {
            leaf: record.leaf(),
            data: data.collect(),
            previous,
        }
    }
}
