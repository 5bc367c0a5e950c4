//! Conditions as propositions: what can be said of a list of alternatives without any data.
//!
//! Whatever is not `and`, `or`, `not` or `implies` is a variable, known by how it is written. A
//! comparison with a literal makes its other side a variable with several values, so that
//! `x == a` and `x == b` exclude each other, and comparing with each value of an enum leaves
//! nothing out. All combinations of values are tried.

mod formula;
mod lists;
mod reader;

use formula::{Formula, World, worlds};
use lists::{Kinds, List};
use reader::Reader;

use super::expr::Expr;
use super::machine::Machine;

/// What is known of a list of conditions: in which worlds each of them holds.
pub(crate) struct Truths {
    /// By world, by condition.
    rows: Vec<Vec<bool>>,
}

impl Truths {
    /// Tries all worlds, one without a condition holding in each. `None` where there are too many
    /// of them, or where a condition could not be resolved.
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

    /// What is known of the last condition where those before it are as given; `None` where it may
    /// be either, or where they never are.
    pub(crate) fn given(&self, given: &[bool]) -> Option<bool> {
        let rows = self.rows.iter().filter(|row| row.starts_with(given));
        let mut last = rows.map(|row| row[given.len()]);
        let first = last.next()?;
        last.all(|truth| truth == first).then_some(first)
    }

    /// How many truths were worked out.
    pub(crate) fn size(&self) -> usize {
        self.rows.len() * self.rows.first().map_or(1, Vec::len)
    }

    /// Whether a condition holds in every world.
    pub(crate) fn always(&self, at: usize) -> bool {
        self.rows.iter().all(|row| row[at])
    }

    /// Whether a condition holds in no world.
    pub(crate) fn never(&self, at: usize) -> bool {
        self.rows.iter().all(|row| !row[at])
    }

    /// Whether one condition holds wherever another does.
    pub(crate) fn covers(&self, wide: usize, narrow: usize) -> bool {
        self.rows.iter().all(|row| row[wide] || !row[narrow])
    }

    /// Whether two conditions hold together in no world.
    #[cfg(feature = "tools")]
    pub(crate) fn exclude(&self, one: usize, other: usize) -> bool {
        self.rows.iter().all(|row| !(row[one] && row[other]))
    }

    /// Whether a condition holds only where an earlier one does.
    pub(crate) fn comes_too_late(&self, at: usize) -> bool {
        self.rows
            .iter()
            .all(|row| !row[at] || row[..at].contains(&true))
    }

    /// Whether some condition holds in every world.
    pub(crate) fn leave_nothing_out(&self) -> bool {
        self.rows.iter().all(|row| row.contains(&true))
    }
}

#[cfg(test)]
mod tests;
