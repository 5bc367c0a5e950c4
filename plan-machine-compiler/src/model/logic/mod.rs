//! Conditions as propositions: what can be determined about a list of alternatives without any data.
//!
//! Every expression other than `and`, `or`, `not` and `implies` is a variable, identified by its structure. In a
//! comparison with a literal, the other side becomes a variable with several values, so that `x == a` and `x == b`
//! exclude each other, and comparisons with all values of an enum cover all cases. All combinations of values are
//! tried.

mod formula;
mod lists;
mod reader;

use formula::{Formula, World, worlds};
use lists::{Kinds, List};
use reader::Reader;

use super::expr::Expr;
use super::machine::Machine;

/// The truth values of a list of conditions in all worlds.
pub(crate) struct Truths {
    /// For each world: the truth value of each condition.
    rows: Vec<Vec<bool>>,
}

impl Truths {
    /// Evaluates the conditions in all worlds; `None` if there are too many worlds, or if a condition could not be
    /// resolved.
    pub(crate) fn of(machine: &Machine, conditions: &[Option<&Expr>]) -> Option<Self> {
        let mut reader = Reader {
            machine,
            variables: Vec::new(),
            lists: Vec::new(),
            inside: false,
        };
        let formulas = conditions
            .iter()
            .map(|condition| match condition {
                Some(expr) => reader.formula(expr),
                None => Some(Formula::Constant(true)),
            })
            .collect::<Option<Vec<Formula>>>()?;
        let mut worlds = worlds(&reader.variables)?;
        let kinds: Vec<Kinds> = reader.lists.iter().filter_map(List::kinds).collect();
        worlds.retain(|world| kinds.iter().all(|kinds| kinds.allow(world)));
        let row = |world: &World| {
            formulas
                .iter()
                .map(|formula| formula.holds(world))
                .collect()
        };
        Some(Self {
            rows: worlds.iter().map(row).collect(),
        })
    }

    /// Returns the truth value of the next condition if the first conditions have the values in `given`; `None` if the
    /// next condition may be true or false, or if the first conditions never have these values.
    pub(crate) fn given(&self, given: &[bool]) -> Option<bool> {
        let rows = self.rows.iter().filter(|row| row.starts_with(given));
        let mut last = rows.map(|row| row[given.len()]);
        let first = last.next()?;
        last.all(|truth| truth == first).then_some(first)
    }

    /// Returns the number of truth values that were computed.
    pub(crate) fn size(&self) -> usize {
        self.rows.len() * self.rows.first().map_or(1, Vec::len)
    }

    /// Returns whether a condition holds in every world.
    pub(crate) fn always(&self, at: usize) -> bool {
        self.rows.iter().all(|row| row[at])
    }

    /// Returns whether a condition holds in no world.
    pub(crate) fn never(&self, at: usize) -> bool {
        self.rows.iter().all(|row| !row[at])
    }

    /// Returns whether the condition `wide` holds in every world in which the condition `narrow` holds.
    pub(crate) fn covers(&self, wide: usize, narrow: usize) -> bool {
        self.rows.iter().all(|row| row[wide] || !row[narrow])
    }

    /// Returns whether no world satisfies both conditions.
    #[cfg(feature = "tools")]
    pub(crate) fn exclude(&self, one: usize, other: usize) -> bool {
        self.rows.iter().all(|row| !(row[one] && row[other]))
    }

    /// Returns whether a condition holds only in worlds in which an earlier condition holds.
    pub(crate) fn comes_too_late(&self, at: usize) -> bool {
        self.rows
            .iter()
            .all(|row| !row[at] || row[..at].contains(&true))
    }

    /// Returns whether every world satisfies at least one of the conditions.
    pub(crate) fn leave_nothing_out(&self) -> bool {
        self.rows.iter().all(|row| row.contains(&true))
    }
}

#[cfg(test)]
mod tests;
