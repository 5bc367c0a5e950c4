//! Replays turns: which host tools could run when a turn began, and which ones a person has opened
//! or closed since.

use super::verify::{ReplayDifference, Verifier};
use crate::journal::{Entry, EntryKind};
use plan_machine::gate::EventContext;

impl Verifier {
    /// Replays the start of a turn.
    pub(super) fn problem_of_turn(&mut self, entry: &Entry, body: &str) -> Option<String> {
        if let EntryKind::TurnBegan { turn, .. } = &entry.kind {
            // If the turn cannot begin, the floors differ, and the difference is reported later.
            let _ = self.gate.begin_turn(turn, &EventContext::at(entry.step.at));
        }
        let same = entry.to_text_onto(&self.images.past) == body;
        (!same).then(|| "the text of the entry differs".to_owned())
    }

    /// Compares the turn of the replay with the turn that the entries contain, and continues with the latter. Machines
    /// that the session did not have when the turn began are not compared.
    pub(super) fn follow_turn(&mut self) -> Option<ReplayDifference> {
        let held = &self.images.snapshot;
        let stored = held.turn.as_ref().map(|turn| &turn.floor);
        let replayed = self.gate.turn().map(|turn| &turn.floor);
        let machines = self.gate.machines().iter();
        let mut machines = machines.map(|machine| machine.description());
        let differs = machines.find(|machine| {
            let stored = stored.and_then(|floor| floor.of(machine.name));
            let replayed = replayed.and_then(|floor| floor.of(machine.name));
            stored.is_some() && stored != replayed
        });
        let difference = differs.map(|machine| {
            let mut holdings = held.holdings.iter();
            let written = holdings.find(|holding| holding.machine == machine.name);
            ReplayDifference {
                seq: held.seq,
                // A turn does not record the specs of its machines, so the machine's last stored
                // fingerprint is used.
                other_spec: written.is_none_or(|written| !machine.is_of(&written.fingerprint)),
                problem: format!(
                    "the host tools that {} allows in this turn differ from the stored ones",
                    machine.name
                ),
            }
        });
        self.gate.set_turn(held.turn.clone());
        difference
    }
}
