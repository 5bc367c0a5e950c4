//! What came, went and changed, by name.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::handling;
use crate::model::StateId;
use crate::model::machine::{Event, EventKind, Machine};
use crate::model::types::{Field, TypeDefKind, shown_type};

/// Something that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// How.
    pub kind: Kind,
    /// What it is, such as "state" or "field".
    pub what: &'static str,
    /// Its name.
    pub name: String,
    /// From what to what, of something that changed.
    pub detail: String,
}

/// How something differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is new.
    Added,
    /// It has gone.
    Removed,
    /// It is another.
    Changed,
}

impl Kind {
    /// The word that people and JSON see.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Added => "added",
            Kind::Removed => "removed",
            Kind::Changed => "changed",
        }
    }
}

/// Everything that differs.
pub(super) fn changes(old: &Machine, new: &Machine) -> Vec<Change> {
    let parts = [
        ("state", states as Named),
        ("field", data),
        ("type", types),
        ("event", events),
        ("effect", effects),
        ("prompt", prompts),
        ("invariant", invariants),
    ];
    let mut found = Vec::new();
    for (what, named) in parts {
        compare(what, &named(old), &named(new), &mut found);
    }
    handling::compare(old, new, &mut found);
    found
}

type Named = fn(&Machine) -> Vec<(String, String)>;

/// Names with what they stand for, in words.
fn compare(
    what: &'static str,
    old: &[(String, String)],
    new: &[(String, String)],
    found: &mut Vec<Change>,
) {
    let change = |kind, name: &str, detail: String| Change {
        kind,
        what,
        name: name.to_owned(),
        detail,
    };
    let now: BTreeMap<&str, &str> = new
        .iter()
        .map(|(name, is)| (name.as_str(), is.as_str()))
        .collect();
    for (name, was) in old {
        match now.get(name.as_str()) {
            None => found.push(change(Kind::Removed, name, String::new())),
            Some(is) if is != was => {
                let detail = format!("{was} → {is}");
                found.push(change(Kind::Changed, name, detail));
            }
            Some(_) => {}
        }
    }
    for (name, _) in new {
        if !old.iter().any(|(known, _)| known == name) {
            found.push(change(Kind::Added, name, String::new()));
        }
    }
}

fn states(machine: &Machine) -> Vec<(String, String)> {
    let leaves = machine.leaves().filter(|leaf| *leaf != StateId::NONE);
    let described = leaves.map(|leaf| {
        let mut has: Vec<&str> = machine
            .has(leaf)
            .map(|field| machine.field(field).name.as_str())
            .collect();
        has.sort_unstable();
        has.dedup();
        let end = if machine.is_final(leaf) {
            "final"
        } else {
            "alive"
        };
        let has = if has.is_empty() {
            String::new()
        } else {
            format!(", has {}", has.join(", "))
        };
        (machine.state(leaf).name.clone(), format!("{end}{has}"))
    });
    described.collect()
}

fn data(machine: &Machine) -> Vec<(String, String)> {
    machine
        .data
        .iter()
        .map(|field| (field.name.clone(), described(machine, field)))
        .collect()
}

/// A field's type and bounds, as a person would write them.
pub(super) fn described(machine: &Machine, field: &Field) -> String {
    let mut words = shown_type(machine, &field.ty);
    if field.nonblank {
        words.push_str(", nonblank");
    }
    if let Some(max) = field.max {
        // Writing to a String cannot fail.
        let _ = write!(words, ", max {max}");
    }
    if field.default.is_some() {
        words.push_str(", with a default");
    }
    words
}

fn types(machine: &Machine) -> Vec<(String, String)> {
    let described = machine.types.iter().map(|def| {
        let words = match &def.kind {
            TypeDefKind::Enum(values) => values.join(" | "),
            TypeDefKind::Record(fields) => fields_of(machine, fields),
        };
        (def.name.clone(), words)
    });
    described.collect()
}

fn fields_of(machine: &Machine, fields: &[Field]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|field| format!("{}: {}", field.name, described(machine, field)))
        .collect();
    format!("{{ {} }}", fields.join("; "))
}

fn events(machine: &Machine) -> Vec<(String, String)> {
    let declared = machine
        .events
        .iter()
        .filter(|event| !matches!(event.kind, EventKind::Other));
    declared
        .map(|event| (event.name.clone(), event_words(machine, event)))
        .collect()
}

fn event_words(machine: &Machine, event: &Event) -> String {
    let kind = match &event.kind {
        EventKind::Command(command) => command.pattern.text().to_owned(),
        EventKind::Tool { read: true, .. } => "tool that reads".to_owned(),
        EventKind::Tool { .. } => "tool".to_owned(),
        EventKind::Signal => "signal".to_owned(),
        EventKind::External | EventKind::Other => "tool of the host".to_owned(),
    };
    format!("{kind} {}", fields_of(machine, &event.input))
}

fn prompts(machine: &Machine) -> Vec<(String, String)> {
    let states = machine.states.iter();
    let said =
        states.filter_map(|state| Some((state.name.clone(), state.prompt.as_ref()?.0.clone())));
    said.map(|(name, prompt)| (name, format!("{prompt:?}")))
        .collect()
}

fn invariants(machine: &Machine) -> Vec<(String, String)> {
    let invariants = machine.invariants.iter();
    invariants
        .map(|invariant| (invariant.name.clone(), invariant.text.clone()))
        .collect()
}

fn effects(machine: &Machine) -> Vec<(String, String)> {
    let effects = machine.effects.iter();
    effects
        .map(|effect| (effect.name.clone(), fields_of(machine, &effect.fields)))
        .collect()
}
