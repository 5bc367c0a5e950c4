//! The floor of a turn: the host tools that could run when the turn began.

use std::collections::{BTreeMap, BTreeSet};

/// The host tools that one machine allows: names under `external_tools`, and `other_tools` for all others.
pub type OpenTools = BTreeSet<String>;

/// The host tools that could run when a turn began, machine by machine.
///
/// A machine without an entry joined the session after the turn began. It has not changed since it joined, so it is
/// not restricted; its first step adds its entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Floor(BTreeMap<String, OpenTools>);

impl Floor {
    /// Returns the tools that a machine allowed; `None` if the machine joined the session later.
    #[must_use]
    pub fn of(&self, machine: &str) -> Option<&OpenTools> {
        self.0.get(machine)
    }

    /// Returns the tools of all machines, sorted by the names of the machines.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &OpenTools)> {
        self.0
            .iter()
            .map(|(machine, open)| (machine.as_str(), open))
    }

    /// Replaces the tools of a machine.
    pub fn set(&mut self, machine: impl Into<String>, open: OpenTools) {
        self.0.insert(machine.into(), open);
    }

    /// Returns whether the tools with this key could run in a machine.
    pub(super) fn allows(&self, machine: &str, key: &str) -> bool {
        self.of(machine).is_none_or(|open| open.contains(key))
    }
}

impl FromIterator<(String, OpenTools)> for Floor {
    fn from_iter<I: IntoIterator<Item = (String, OpenTools)>>(machines: I) -> Self {
        Self(machines.into_iter().collect())
    }
}
