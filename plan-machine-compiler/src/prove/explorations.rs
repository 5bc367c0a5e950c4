//! The explorations of one machine of a session, shared by all claims for which the same data matters.

use std::rc::Rc;

use super::candidates::Candidates;
use super::explore::Space;
use super::explored;
use super::measures::TrackedMeasures;
use super::notes::Unset;
use super::paths::Paths;
use super::relevance::Relevant;
use crate::model::Machine;

/// The maximum amount of data in the stored explorations of one machine, counted as in `Space::stored`. This is some
/// tens of megabytes.
const MAX_KEPT: usize = 1_000_000;

/// A machine with its explorations.
pub struct Explorations {
    machine: Machine,
    /// The explorations that can be used again.
    kept: Vec<Rc<Exploration>>,
    /// The amount of data that may still be stored.
    room: usize,
}

/// Everything that a machine can reach, if only some of its data is tracked.
pub(super) struct Exploration {
    /// The data that the conditions of the claims made relevant, before the exploration gave up tracking some of the
    /// data.
    wanted: Relevant,
    pub(super) relevant: Relevant,
    pub(super) candidates: Candidates,
    pub(super) space: Space,
    pub(super) paths: Paths,
}

impl Explorations {
    /// Starts with no exploration of a machine.
    #[must_use]
    pub fn of(machine: &Machine) -> Self {
        let mut machine = machine.clone();
        // Only the claims of the session matter, and nothing is run.
        machine.invariants.clear();
        machine.scenarios.clear();
        Self {
            machine,
            kept: Vec::new(),
            room: MAX_KEPT,
        }
    }

    pub(super) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Explores the machine for the conditions that are the invariants of `probe`. An exploration depends on conditions
    /// only through the data that they make relevant and the values that they mention, so an earlier exploration with
    /// the same data and values is used again. Explorations that were given up, or for which there is no more room, are
    /// not kept.
    pub(super) fn for_conditions(&mut self, probe: &Machine) -> Rc<Exploration> {
        let wanted = Relevant::of(probe, &[], TrackedMeasures::Compared);
        let candidates = Candidates::of(probe, &wanted.cells);
        let mut kept = self.kept.iter();
        let same = kept.find(|one| one.wanted == wanted && one.candidates == candidates);
        if let Some(same) = same {
            return Rc::clone(same);
        }
        let mut relevant = wanted.clone();
        let space = explored(probe, &mut relevant, &candidates, &Unset::default(), false);
        let new = Rc::new(Exploration {
            wanted,
            relevant,
            candidates,
            paths: Paths::of(&space),
            space,
        });
        let left = self.room.checked_sub(new.space.stored());
        if let Some(left) = left.filter(|_| new.space.complete) {
            self.room = left;
            self.kept.push(Rc::clone(&new));
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    const SPEC: &str = "machine: M\ndata: { lit: { type: bool, default: false }, n: { type: int, default: 0 } }\n\
        commands: { switch: /switch, add: /add, end: /end }\nstates:\n  none: { on: { switch: A } }\n  \
        A: { on: { switch: { set: { lit: true } }, add: { set: { n: 1 } }, end: { to: Z, next: none } } }\n  \
        Z: { final: true }\ninvariants:\n  anywhere: can always reach Z\n  dark: always (A implies not lit)\n  \
        bright: never (Z and lit)\n  few: always (n < 2)\n  fewer: always (n < 1)\n";

    /// Returns the machine with one of its invariants.
    fn with_invariant(machine: &Machine, name: &str) -> Machine {
        let mut machine = machine.clone();
        machine
            .invariants
            .retain(|invariant| invariant.name == name);
        assert_eq!(machine.invariants.len(), 1, "{name}");
        machine
    }

    #[test]
    fn an_exploration_for_which_there_is_no_room_is_not_kept() {
        let mut sources = SourceMap::default();
        let file = sources.add("m.yaml", SPEC);
        let machine = crate::compile(&sources, file).machine.expect("a machine");
        let mut explorations = Explorations::of(&machine);
        let dark = with_invariant(&machine, "dark");
        let stored = explorations.for_conditions(&dark).space.stored();
        for (room, kept) in [(stored, 1), (stored - 1, 0)] {
            let mut explorations = Explorations::of(&machine);
            explorations.room = room;
            explorations.for_conditions(&dark);
            assert_eq!(explorations.kept.len(), kept, "{room}");
        }
    }

    #[test]
    fn a_machine_is_explored_once_for_all_conditions_that_read_the_same_data() {
        let mut sources = SourceMap::default();
        let file = sources.add("m.yaml", SPEC);
        let machine = crate::compile(&sources, file).machine.expect("a machine");
        let mut explorations = Explorations::of(&machine);
        let mut explored = |name: &str| {
            let found = explorations.for_conditions(&with_invariant(&machine, name));
            (found.space.configs.len(), explorations.kept.len())
        };
        // "No plan", `A` and `Z`; `lit` doubles the configurations with a plan.
        assert_eq!(explored("anywhere"), (3, 1));
        assert_eq!(explored("dark"), (5, 2));
        assert_eq!(explored("bright"), (5, 2));
        assert_eq!(explored("few").1, 3);
        // The same data, but another value to compare it with.
        assert_eq!(explored("fewer").1, 4);
        assert_eq!(explored("anywhere"), (3, 4));
        assert_eq!(explored("few").1, 4);
    }
}
