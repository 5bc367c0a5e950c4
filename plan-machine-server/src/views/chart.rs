//! The state chart of a machine: its states, their transitions, and who triggers each transition.

use std::collections::{BTreeMap, VecDeque};

use plan_machine::description::{Description, Event, EventKind, Next, Transition};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::session::CommandPrefix;

use super::maybe::maybe;
use crate::inbox::sender;

/// Returns the chart. `current` contains the states that plans are in now.
pub(super) fn chart(tables: &'static Description, prefix: CommandPrefix, current: &[u16]) -> Json {
    let ranks = ranks(tables);
    let nodes = (0_u16..).zip(tables.states).map(|(at, state)| {
        let mut object = Object::new();
        object.push("name", state.name);
        object.push("title", tables.shown_state(at));
        object.push("doc", state.doc.trim());
        let within = state.within.iter().map(|name| Json::from(*name));
        object.push("within", within.collect::<Vec<Json>>());
        object.push("final", state.is_final);
        object.push("current", current.contains(&at));
        object.push("rank", maybe(ranks.get(&at).copied()));
        Json::Object(object)
    });
    let mut edges = Vec::new();
    for transition in tables.transitions {
        let event = tables.event(transition.event);
        for from in transition.from {
            if is_shown(event, transition) {
                edges.push(edge(tables, prefix, *from, transition, current));
            }
        }
    }
    let mut object = Object::new();
    object.push("nodes", nodes.collect::<Vec<Json>>());
    object.push("edges", edges);
    object.into()
}

/// Returns whether a transition is drawn as an edge. A call to a host tool that leaves the plan's state unchanged is
/// not drawn.
fn is_shown(event: &Event, transition: &Transition) -> bool {
    let changes = transition.to.is_some() || transition.next != Next::Same;
    changes || !matches!(event.kind, EventKind::External | EventKind::OtherTools)
}

fn edge(
    tables: &'static Description,
    prefix: CommandPrefix,
    from: u16,
    transition: &Transition,
    current: &[u16],
) -> Json {
    let event = tables.event(transition.event);
    let name = |at: u16| tables.state(at).name;
    let next = match transition.next {
        Next::Same => None,
        Next::Nothing => Some("none"),
        Next::Copy(state) | Next::Fresh(state) => Some(name(state)),
    };
    let require = transition.require.iter().map(|text| Json::from(*text));
    let reviewed = matches!(event.kind, EventKind::Command { reviewed: true, .. });
    let mut object = Object::new();
    object.push("from", name(from));
    object.push("to", maybe(transition.to.map(name)));
    object.push("event", event.name);
    object.push("label", label(event, prefix));
    object.push("by", sender(event.kind));
    object.push("reviewed", reviewed);
    object.push("when", transition.when);
    object.push("require", require.collect::<Vec<Json>>());
    object.push("next", maybe(next));
    object.push("live", current.contains(&from));
    object.into()
}

/// Returns the label of an event: the words of its command without the arguments, or else its name.
fn label(event: &Event, prefix: CommandPrefix) -> String {
    match event.kind {
        EventKind::Command { text, .. } => {
            let words = text.split('{').next().unwrap_or(text).trim();
            words.replacen('/', &prefix.as_char().to_string(), 1)
        }
        EventKind::OtherTools => "other tools".to_owned(),
        _ => event.name.to_owned(),
    }
}

/// Returns the minimum number of transitions from `none` to each state that can be reached.
fn ranks(tables: &Description) -> BTreeMap<u16, u64> {
    let mut ranks = BTreeMap::from([(0, 0)]);
    let mut open = VecDeque::from([(0_u16, 0_u64)]);
    while let Some((at, rank)) = open.pop_front() {
        let leaving = tables.transitions.iter();
        for transition in leaving.filter(|one| one.from.contains(&at)) {
            let next = match transition.next {
                Next::Copy(state) | Next::Fresh(state) => Some(state),
                Next::Same | Next::Nothing => None,
            };
            for state in transition.to.into_iter().chain(next) {
                if let std::collections::btree_map::Entry::Vacant(free) = ranks.entry(state) {
                    free.insert(rank + 1);
                    open.push_back((state, rank + 1));
                }
            }
        }
    }
    ranks
}
