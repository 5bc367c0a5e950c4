//! Compares which events lead to which states, and under which conditions. The comparison shows the consequences of
//! edits, including edits to inherited entries.

use std::collections::{BTreeMap, BTreeSet};

use super::changes::{Change, Concern, Kind};
use crate::model::machine::{EventKind, Machine, Transition};
use crate::model::{EventId, StateId, TransitionId};

/// The paths into a state: the description of each path, and the state where it starts.
type Ways = BTreeSet<(String, String)>;

pub(super) fn changes(old: &Machine, new: &Machine) -> Vec<Change> {
    let (was, is) = (ways(old), ways(new));
    let mut found = Vec::new();
    for (state, before) in &was {
        let (kind, after) = match is.get(state) {
            Some(after) => (Kind::Changed, after),
            None => (Kind::Removed, &Ways::new()),
        };
        found.extend(compared(kind, state, before, after));
    }
    for (state, after) in is.iter().filter(|(state, _)| !was.contains_key(*state)) {
        found.extend(compared(Kind::Added, state, &Ways::new(), after));
    }
    found
}

fn compared(kind: Kind, state: &str, before: &Ways, after: &Ways) -> Option<Change> {
    let gone: Ways = before.difference(after).cloned().collect();
    let came: Ways = after.difference(before).cloned().collect();
    let detail = match (gone.is_empty(), came.is_empty()) {
        (true, true) => return None,
        (true, false) if kind == Kind::Added => words(&came),
        (false, true) if kind == Kind::Removed => words(&gone),
        (true, false) => format!("now also {}", words(&came)),
        (false, true) => format!("no longer {}", words(&gone)),
        (false, false) => format!("{} → {}", words(&gone), words(&came)),
    };
    Some(Change {
        kind,
        concern: Some(Concern::Approval),
        machine: None,
        what: "path to",
        name: state.to_owned(),
        detail,
    })
}

/// Describes paths; paths that differ only in their starting state are merged.
fn words(ways: &Ways) -> String {
    let mut from: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (how, place) in ways {
        from.entry(how).or_default().push(place);
    }
    let ways = from
        .iter()
        .map(|(how, places)| format!("{how} from {}", places.join(", ")));
    ways.collect::<Vec<String>>().join("; ")
}

/// Returns the paths into each state. A path moves a record to the state, starts a successor there, or is a reviewed
/// command, which expresses a decision even if the record stays in its state.
fn ways(machine: &Machine) -> BTreeMap<String, Ways> {
    let mut found: BTreeMap<String, Ways> = BTreeMap::new();
    for leaf in machine.leaves() {
        for event in machine.event_ids() {
            let alternatives = machine.alternatives(leaf, event).unwrap_or_default();
            for (at, id) in alternatives.iter().enumerate() {
                let transition = machine.transition(*id);
                let how = how(machine, event, &alternatives[..at], transition);
                let mut lead = |to: StateId| {
                    let to = machine.state(to).name.clone();
                    let from = machine.state(leaf).name.clone();
                    found.entry(to).or_default().insert((how.clone(), from));
                };
                let to = machine.target(leaf, transition);
                let moves = transition.to.is_some() || transition.next.is_some();
                if moves || is_reviewed(machine, event) {
                    lead(to);
                }
                machine
                    .successor(transition)
                    .into_iter()
                    .for_each(&mut lead);
            }
        }
    }
    found
}

fn is_reviewed(machine: &Machine, event: EventId) -> bool {
    matches!(&machine.event(event).kind, EventKind::Command(command) if command.reviewed)
}

/// Describes which event leads to the state and under which conditions, including the condition that no earlier
/// alternative applies.
fn how(machine: &Machine, event: EventId, before: &[TransitionId], taken: &Transition) -> String {
    let declared = machine.event(event);
    let sender = match &declared.kind {
        EventKind::Command(_) => "command",
        EventKind::Signal => "signal",
        EventKind::Timer(_) => "timer",
        EventKind::Tool { .. } => "tool",
        EventKind::External | EventKind::Other => "host tool",
    };
    let mut words = vec![format!("by the {sender} {}", declared.name)];
    let earlier = before
        .iter()
        .filter_map(|id| machine.transition(*id).when.as_ref());
    words.extend(earlier.map(|when| format!("unless {}", when.text)));
    words.extend(taken.when.iter().map(|when| format!("when {}", when.text)));
    let required = taken.require.iter();
    words.extend(required.map(|require| format!("requiring {}", require.that.text)));
    words.join(", ")
}
