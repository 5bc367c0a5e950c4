//! Compares which tools run, or are recorded, denied or advertised, and in which states. The comparison shows the
//! consequences of edits, including edits to inherited entries.

use std::collections::BTreeMap;

use super::changes::{Change, Concern, Kind};
use crate::model::machine::{EventKind, Fate, HandlerKind, Machine, Transition};
use crate::model::{Decision, EventId, HandlerId, StateId};

/// What happens to a tool in a state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Gate {
    Advertised,
    Hidden,
    Runs,
    Recorded,
    Denied,
    /// The alternatives decide for each call; the string describes them.
    Decided(String),
}

impl Gate {
    fn words(&self) -> &str {
        match self {
            Gate::Advertised => "advertised",
            Gate::Hidden => "not advertised",
            Gate::Runs => "runs",
            Gate::Recorded => "recorded",
            Gate::Denied => "denied",
            Gate::Decided(how) => how,
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
        machine: None,
        what,
        name: name.to_owned(),
        detail,
    }
}

/// Returns the names of all leaves, the states in which tools are gated. In a machine with many plans, the decisions of
/// `none` about host tools apply in all of these states.
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
            EventKind::Command(_) | EventKind::Signal | EventKind::Timer(_)
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
        Decision::Choose(handler) | Decision::Record(handler) => decided(machine, handler),
    }
}

/// Describes the alternatives for a call. The first alternative whose condition holds decides.
fn decided(machine: &Machine, handler: HandlerId) -> Gate {
    let HandlerKind::Transitions(all) = &machine.handler(handler).kind else {
        return Gate::Recorded;
    };
    let all = all.iter().map(|id| machine.transition(*id));
    let words: Vec<String> = all.map(alternative).collect();
    if words.iter().all(|words| words == RECORDED) {
        return Gate::Recorded;
    }
    Gate::Decided(words.join(", else "))
}

const RECORDED: &str = "recorded";

fn alternative(taken: &Transition) -> String {
    let mut words = match taken.fate {
        Fate::Run | Fate::Count => "runs".to_owned(),
        Fate::Accept => RECORDED.to_owned(),
        Fate::Deny => "denied".to_owned(),
    };
    if let Some(when) = &taken.when {
        words = format!("{words} when {}", when.text);
    }
    for require in &taken.require {
        words = format!("{words}, requiring {}", require.that.text);
    }
    words
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
        format!(
            "{} → {} (in {})",
            was.words(),
            is.words(),
            places.join(", ")
        )
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
    let words = by_gate.iter().map(|(gate, tools)| {
        let tools = tools.join(", ");
        match gate {
            Gate::Advertised => format!("advertises {tools}"),
            Gate::Recorded => format!("records {tools}"),
            Gate::Denied => format!("denies {tools}"),
            Gate::Runs | Gate::Hidden => format!("runs {tools}"),
            Gate::Decided(how) => format!("decides about {tools}: {how}"),
        }
    });
    change(
        kind,
        "state",
        place,
        words.collect::<Vec<String>>().join("; "),
    )
}

#[cfg(test)]
mod tests {
    use crate::diff::test_kit::replacing;

    const OLD: &str = "
machine: Work
external_tools: [shell]
context: { user: { type: string, default: someone } }
data:
  ok: { type: bool, default: false }
  two: { type: bool, default: true }
  calls: { type: int, default: 0 }
  owner: string?
commands: { begin: /begin, allow: /allow, approve: /approve, end: /end }
tools: { ask: { doc: Ask. } }
states:
  none: { on: { begin: { to: WORKING, set: { owner: context.user } } } }
  WORKING:
    other_tools: [{ when: two and calls < 3, set: { calls: calls + 1 }, run: true }, deny]
    on:
      shell: [{ when: ok, reply: '\"kept\"' }, deny]
      ask: { reply: '\"asked\"' }
      allow: { set: { ok: true } }
      approve: { to: DONE, next: none, require: [{ that: owner is set and owner == context.user, else: not yours }] }
      end: { to: DONE, next: none }
  DONE: { final: true }
";

    /// Returns the marked changes of a spec in which one part is replaced.
    fn marked(from: &str, to: &str) -> Vec<String> {
        let changes = replacing(OLD, from, to).into_iter();
        let marked = changes.filter_map(|change| {
            let concern = change.concern?.as_str();
            let (what, name, detail) = (change.what, change.name, change.detail);
            Some(format!("{concern}: {what} {name}: {detail}"))
        });
        marked.collect()
    }

    #[test]
    fn another_outcome_of_an_alternative_is_marked() {
        let counted = "set: { calls: calls + 1 }, run: true }, deny]";
        assert_eq!(
            marked(counted, "set: { calls: calls + 1 }, run: true }, run]"),
            [
                "gating: tool other_tools: runs when two and calls < 3, else denied → runs when two and calls < 3, else runs (in WORKING)"
            ]
        );
        assert_eq!(
            marked(
                counted,
                "set: { calls: calls + 1 }, reply: '\"no\"' }, deny]"
            ),
            [
                "gating: tool other_tools: runs when two and calls < 3, else denied → recorded when two and calls < 3, else denied (in WORKING)"
            ]
        );
        assert_eq!(
            marked("reply: '\"kept\"' }, deny]", "reply: '\"kept\"' }, run]"),
            [
                "gating: tool shell: recorded when ok, else denied → recorded when ok, else runs (in WORKING)"
            ]
        );
        assert_eq!(
            marked("when: ok, reply: '\"kept\"'", "when: ok, run: true"),
            [
                "gating: tool shell: recorded when ok, else denied → runs when ok, else denied (in WORKING)"
            ]
        );
    }

    #[test]
    fn another_condition_of_an_alternative_is_marked() {
        for (from, to) in [
            ("two and calls < 3", "two and calls < 3000000"),
            ("two and calls < 3", "calls < 3"),
            ("when: ok, reply", "when: not ok, reply"),
        ] {
            let found = marked(from, to);
            assert!(
                found.iter().any(|line| line.starts_with("gating: tool ")),
                "{from} → {to}: {found:?}"
            );
        }
    }

    #[test]
    fn what_is_written_to_a_field_that_decides_about_a_tool_is_marked() {
        assert_eq!(
            marked("ask: { reply: '\"asked\"' }", "ask: { set: { ok: true } }"),
            ["gating: condition field ok: now also WORKING ask: set ok: true"]
        );
        assert_eq!(
            marked("default: false", "default: true"),
            ["gating: condition field ok: default false → default true"]
        );
        assert_eq!(
            marked("calls: calls + 1", "calls: 0"),
            [
                "gating: condition field calls: WORKING other_tools, when two and calls < 3: set calls: calls + 1 → WORKING other_tools, when two and calls < 3: set calls: 0"
            ]
        );
    }

    #[test]
    fn the_default_of_a_context_field_that_decides_is_marked() {
        assert_eq!(
            marked("default: someone", "default: owner"),
            ["approval: condition field context.user: default someone → default owner"]
        );
    }

    #[test]
    fn a_state_with_alternatives_for_tools_is_described_with_them() {
        let found = marked("WORKING", "BUSY");
        assert!(
            found.contains(
                &"gating: state BUSY: advertises ask; decides about shell: recorded when ok, else denied; decides about other_tools: runs when two and calls < 3, else denied".to_owned()
            ),
            "{found:#?}"
        );
    }
}
