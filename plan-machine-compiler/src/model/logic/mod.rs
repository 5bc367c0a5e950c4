//! Conditions as propositions: what is known about a list of alternatives without any data.
//!
//! Anything other than `and`, `or`, `not` or `implies` is a variable, identified by its text. A
//! comparison with a literal makes its other side a variable with several values, so that `x == a`
//! and `x == b` exclude each other, and comparing with each value of an enum covers all cases. All
//! combinations of values are tried.

mod formula;
mod lists;
mod reader;

use formula::{Formula, World, worlds};
use lists::{Kinds, List};
use reader::Reader;

use super::expr::Expr;
use super::machine::Machine;

/// What is known about a list of conditions: in which worlds each of them holds.
pub(crate) struct Truths {
    /// By world, by condition.
    rows: Vec<Vec<bool>>,
}

impl Truths {
    /// Tries all worlds. `None` if there are too many of them, or if a condition could not be
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

    /// Returns the value of the last condition if those before it have the given values; `None` if
    /// it may be either, or if they never have.
    pub(crate) fn given(&self, given: &[bool]) -> Option<bool> {
        let rows = self.rows.iter().filter(|row| row.starts_with(given));
        let mut last = rows.map(|row| row[given.len()]);
        let first = last.next()?;
        last.all(|truth| truth == first).then_some(first)
    }

    /// Returns how many truth values were computed.
    pub(crate) fn size(&self) -> usize {
        self.rows.len() * self.rows.first().map_or(1, Vec::len)
    }

    /// Tells whether a condition holds in every world.
    pub(crate) fn always(&self, at: usize) -> bool {
        self.rows.iter().all(|row| row[at])
    }

    /// Tells whether a condition holds in no world.
    pub(crate) fn never(&self, at: usize) -> bool {
        self.rows.iter().all(|row| !row[at])
    }

    /// Tells whether one condition holds wherever another does.
    pub(crate) fn covers(&self, wide: usize, narrow: usize) -> bool {
        self.rows.iter().all(|row| row[wide] || !row[narrow])
    }

    /// Tells whether two conditions hold together in no world.
    #[cfg(feature = "tools")]
    pub(crate) fn exclude(&self, one: usize, other: usize) -> bool {
        self.rows.iter().all(|row| !(row[one] && row[other]))
    }

    /// Tells whether a condition holds only where an earlier one does.
    pub(crate) fn comes_too_late(&self, at: usize) -> bool {
        self.rows
            .iter()
            .all(|row| !row[at] || row[..at].contains(&true))
    }

    /// Tells whether some condition holds in every world.
    pub(crate) fn leave_nothing_out(&self) -> bool {
        self.rows.iter().all(|row| row.contains(&true))
    }
}

#[cfg(test)]
mod tests;
