//! What states do with events, in both versions.

use std::collections::BTreeMap;

use super::changes::{Change, Kind};
use crate::model::HandlerId;
use crate::model::machine::{HandlerKind, Machine, Next, Transition};

/// Compares every entry of every state, by the names of the state and of the event.
pub(super) fn compare(old: &Machine, new: &Machine, found: &mut Vec<Change>) {
    let (was, is) = (entries(old), entries(new));
    let change = |kind, name: &str, detail: String| Change {
        kind,
        what: "handling",
        name: name.to_owned(),
        detail,
    };
    for (name, before) in &was {
        let words = described(old, *before);
        match is.get(name) {
            None => found.push(change(Kind::Removed, name, words)),
            Some(after) => {
                let now = described(new, *after);
                if words != now {
                    found.push(change(Kind::Changed, name, format!("{words} → {now}")));
                } else if !same(old, *before, new, *after) {
                    let detail = format!("{now}, with other values");
                    found.push(change(Kind::Changed, name, detail));
                }
            }
        }
    }
    for (name, after) in is.iter().filter(|(name, _)| !was.contains_key(*name)) {
        found.push(change(Kind::Added, name, described(new, *after)));
    }
}

/// The entries of all states: `READY approve`.
fn entries(machine: &Machine) -> BTreeMap<String, HandlerId> {
    let all = (0..machine.handlers.len()).map(HandlerId::at);
    let named = all.map(|id| {
        let handler = machine.handler(id);
        let state = &machine.state(handler.state).name;
        (format!("{state} {}", machine.event(handler.event).name), id)
    });
    named.collect()
}

fn described(machine: &Machine, id: HandlerId) -> String {
    match &machine.handler(id).kind {
        HandlerKind::Run => "run".to_owned(),
        HandlerKind::Deny => "deny".to_owned(),
        HandlerKind::Transitions(all) => {
            let words = all.iter().map(|id| taken(machine, machine.transition(*id)));
            words.collect::<Vec<String>>().join("; else ")
        }
    }
}

/// What an alternative does, without its values.
fn taken(machine: &Machine, transition: &Transition) -> String {
    let state = |id| machine.state(id).name.as_str();
    let mut words = Vec::new();
    words.extend(
        transition
            .when
            .as_ref()
            .map(|when| format!("when {}", when.text)),
    );
    words.extend(transition.to.map(|to| format!("to {}", state(to))));
    words.extend(transition.next.map(|next| match next {
        Next::None => "next none".to_owned(),
        Next::Copy(leaf) => format!("next {}", state(leaf)),
        Next::Fresh(leaf) => format!("next a fresh {}", state(leaf)),
    }));
    let required = transition
        .require
        .iter()
        .map(|require| format!("requires {}", require.that.text));
    words.extend(required);
    let written = transition
        .changes
        .iter()
        .map(|change| format!("writes {}", machine.field(change.field).name));
    words.extend(written);
    let emitted = transition
        .emit
        .iter()
        .map(|emit| format!("emits {}", machine.effect(emit.effect).name));
    words.extend(emitted);
    if words.is_empty() {
        "answers".to_owned()
    } else {
        words.join(", ")
    }
}

/// Whether two entries that read alike do the same, values included; places do not count.
fn same(old: &Machine, before: HandlerId, new: &Machine, after: HandlerId) -> bool {
    let (was, is) = (transitions(old, before), transitions(new, after));
    let alike = |(one, other): (&Transition, &Transition)| {
        one.require == other.require
            && one.changes == other.changes
            && one.emit == other.emit
            && one.reply == other.reply
    };
    was.len() == is.len() && was.into_iter().zip(is).all(alike)
}

fn transitions(machine: &Machine, id: HandlerId) -> Vec<&Transition> {
    match &machine.handler(id).kind {
        HandlerKind::Transitions(all) => all.iter().map(|id| machine.transition(*id)).collect(),
        _ => Vec::new(),
    }
}
