//! Which tools run, or are recorded, denied or advertised, and in which states. This shows the consequences of edits,
//! including edits to inherited entries.

use std::collections::BTreeMap;

use super::changes::{Change, Concern, Kind};
use crate::model::machine::{EventKind, Machine};
use crate::model::{Decision, EventId, StateId};

/// What happens to a tool in a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gate {
    Advertised,
    Hidden,
    Runs,
    MayRun,
    Recorded,
    Denied,
}

impl Gate {
    fn words(self) -> &'static str {
        match self {
            Gate::Advertised => "advertised",
            Gate::Hidden => "not advertised",
            Gate::Runs => "runs",
            Gate::MayRun => "may run",
            Gate::Recorded => "recorded",
            Gate::Denied => "denied",
        }
    }
}

pub(super) fn changes(old: &Machine, new: &Machine) -> Vec<Change> {
    let mut found = tools(old, new);
    let (was, is) = (places(old), places(new));
    let gone = was.iter().filter(|place| !is.contains(place));
    found.extend(gone.map(|place| state(old, place, Kind::Removed)));
    let came = is.iter().filter(|place| !was.contains(place));
    found.extend(came.map(|place| state(new, place, Kind::Added)));
    found
}

fn change(kind: Kind, what: &'static str, name: &str, detail: String) -> Change {
    Change {
        kind,
        concern: Some(Concern::Gating),
        what,
        name: name.to_owned(),
        detail,
    }
}

/// Returns the names of all leaves, the states in which tools are gated. In a machine with many plans, `other_tools`
/// applies in all of them.
fn places(machine: &Machine) -> Vec<&str> {
    let leaves = machine.leaves();
    leaves
        .map(|leaf| machine.state(leaf).name.as_str())
        .collect()
}

/// Returns the tools with their names: the machine's own tools, the host tools and, last, the pseudo-event for other
/// tools.
fn named(machine: &Machine) -> impl Iterator<Item = (EventId, &str)> {
    let tools = machine.event_ids().filter(|id| {
        !matches!(
            machine.event(*id).kind,
            EventKind::Command(_) | EventKind::Signal
        )
    });
    tools.map(|id| (id, machine.event(id).name.as_str()))
}

fn is_own(machine: &Machine, tool: EventId) -> bool {
    matches!(machine.event(tool).kind, EventKind::Tool { .. })
}

fn gate(machine: &Machine, leaf: StateId, tool: EventId) -> Gate {
    if is_own(machine, tool) {
        return match machine.alternatives(leaf, tool) {
            Some(_) => Gate::Advertised,
            None => Gate::Hidden,
        };
    }
    let decides = if machine.is_many() {
        StateId::NONE
    } else {
        leaf
    };
    match machine.decision(decides, tool) {
        Decision::Run => Gate::Runs,
        Decision::Deny => Gate::Denied,
        Decision::Choose(_) => Gate::MayRun,
        Decision::Record(_) => Gate::Recorded,
    }
}

/// Returns the tool with this name. A host tool that no entry names is treated as one of the other tools.
fn tool(machine: &Machine, name: &str, own: bool) -> Option<EventId> {
    let mut tools = named(machine);
    let found = tools.find(|(id, known)| *known == name && is_own(machine, *id) == own);
    match found {
        Some((id, _)) => Some(id),
        None if own => None,
        None => Some(machine.other_tools()),
    }
}

/// Compares the gating of tools in the states that both versions have.
fn tools(old: &Machine, new: &Machine) -> Vec<Change> {
    let mut found = Vec::new();
    for (before, name) in named(old) {
        let own = is_own(old, before);
        match tool(new, name, own) {
            Some(after) => found.extend(both(old, before, new, after, name)),
            None => found.push(one(old, before, Kind::Removed)),
        }
    }
    for (after, name) in named(new) {
        let own = is_own(new, after);
        if named(old).any(|(id, known)| known == name && is_own(old, id) == own) {
            continue;
        }
        match tool(old, name, own) {
            Some(before) => found.extend(both(old, before, new, after, name)),
            None => found.push(one(new, after, Kind::Added)),
        }
    }
    found
}

/// Compares the gating of a tool that both versions have, in the states that both versions have.
fn both(
    old: &Machine,
    before: EventId,
    new: &Machine,
    after: EventId,
    name: &str,
) -> Option<Change> {
    let mut otherwise: BTreeMap<(Gate, Gate), Vec<&str>> = BTreeMap::new();
    for leaf in old.leaves() {
        let place = old.state(leaf).name.as_str();
        let Some(now) = new.state_named(place).filter(|id| new.state(*id).is_leaf()) else {
            continue;
        };
        let (was, is) = (gate(old, leaf, before), gate(new, now, after));
        if was != is {
            otherwise.entry((was, is)).or_default().push(place);
        }
    }
    let words = otherwise.iter().map(|((was, is), places)| {
        format!("{} → {} in {}", was.words(), is.words(), places.join(", "))
    });
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| change(Kind::Changed, "tool", name, words.join("; ")))
}

/// Describes the gating of a tool that only one version has.
fn one(machine: &Machine, tool: EventId, kind: Kind) -> Change {
    let advertised = machine
        .leaves()
        .filter(|leaf| machine.alternatives(*leaf, tool).is_some());
    let places: Vec<&str> = advertised
        .map(|leaf| machine.state(leaf).name.as_str())
        .collect();
    let words = if places.is_empty() {
        "advertised nowhere".to_owned()
    } else {
        format!("advertised in {}", places.join(", "))
    };
    change(kind, "tool", &machine.event(tool).name, words)
}

/// Describes the gating of all tools in a state that only one version has.
fn state(machine: &Machine, place: &str, kind: Kind) -> Change {
    let leaf = machine.state_named(place).unwrap_or(StateId::NONE);
    let mut by_gate: BTreeMap<Gate, Vec<&str>> = BTreeMap::new();
    for (tool, name) in named(machine) {
        by_gate
            .entry(gate(machine, leaf, tool))
            .or_default()
            .push(name);
    }
    by_gate.remove(&Gate::Hidden);
    let verb = |gate: &Gate| match gate {
        Gate::Advertised => "advertises",
        Gate::Recorded => "records",
        Gate::Denied => "denies",
        Gate::MayRun => "may run",
        Gate::Runs | Gate::Hidden => "runs",
    };
    let words = by_gate
        .iter()
        .map(|(gate, tools)| format!("{} {}", verb(gate), tools.join(", ")));
    change(
        kind,
        "state",
        place,
        words.collect::<Vec<String>>().join("; "),
    )
}
