//! The names of a machine, errors or not.

use super::{Machine, StateId};

/// The names that a spec makes, for those who need them although it has errors.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The machine's.
    pub machine: String,
    /// The leaves', without `none`.
    pub states: Vec<String>,
}

impl Outline {
    /// Of a machine that could not be read: a name is all there is.
    #[must_use]
    pub fn of_name(name: &str) -> Self {
        Self {
            machine: name.to_owned(),
            states: Vec::new(),
        }
    }

    pub(crate) fn of(machine: &Machine) -> Self {
        let leaves = machine.leaves().filter(|leaf| *leaf != StateId::NONE);
        Self {
            machine: machine.name.clone(),
            states: leaves
                .map(|leaf| machine.state(leaf).name.clone())
                .collect(),
        }
    }
}
