//! Queries about what transitions do to records.

use super::ids::StateId;
use super::machine::{ChangeKind, DataPath, Machine, Next, Transition};

impl Machine {
    /// Returns the leaf that a record in `leaf` is in after a transition.
    #[must_use]
    pub fn target(&self, leaf: StateId, transition: &Transition) -> StateId {
        transition
            .to
            .map_or(leaf, |state| self.state(state).initial_leaf)
    }

    /// Returns the leaf in which the successor starts, if the transition creates one.
    #[must_use]
    pub fn successor(&self, transition: &Transition) -> Option<StateId> {
        match transition.next? {
            Next::None => None,
            Next::Copy(state) | Next::Fresh(state) => Some(self.state(state).initial_leaf),
        }
    }

    /// Returns the states that are left, innermost first, and the states that are entered, outermost first, when a
    /// record moves between two leaves. A move from a leaf to itself exits and enters only that leaf.
    #[must_use]
    pub fn path(&self, from: StateId, to: StateId) -> (Vec<StateId>, Vec<StateId>) {
        if from == to {
            return (vec![from], vec![to]);
        }
        let exits: Vec<StateId> = self
            .ancestry(from)
            .take_while(|id| !self.is_within(to, *id))
            .collect();
        let mut entries: Vec<StateId> = self
            .ancestry(to)
            .take_while(|id| !self.is_within(from, *id))
            .collect();
        entries.reverse();
        (exits, entries)
    }

    /// Returns the states that a new record in `leaf` enters, outermost first.
    #[must_use]
    pub fn entries_from_root(&self, leaf: StateId) -> Vec<StateId> {
        let mut entries: Vec<StateId> = self.ancestry(leaf).collect();
        entries.reverse();
        entries
    }

    /// Returns whether the changes of a transition can write to content that a person reviews.
    #[must_use]
    pub fn writes_reviewed(&self, transition: &Transition) -> bool {
        self.review.iter().any(|path| {
            let changes = transition.changes.iter();
            let mut own = changes.filter(|change| change.field == path.field);
            own.any(|change| writes(&change.kind, path))
        })
    }
}

/// Returns whether a change to the path's field writes to the path. An update writes only to the fields that it names.
fn writes(change: &ChangeKind, path: &DataPath) -> bool {
    let ChangeKind::Update { set, clear, .. } = change else {
        return true;
    };
    let written = set.iter().map(|(field, _)| field).chain(clear);
    match path.parts.first() {
        None => true,
        Some(part) => written.into_iter().any(|field| field == part),
    }
}
