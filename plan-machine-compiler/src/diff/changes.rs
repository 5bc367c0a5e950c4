//! Additions, removals and changes, grouped by name.

use std::collections::{HashMap, HashSet};

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The kind of difference.
    pub kind: Kind,
    /// The concern that the difference affects, if any.
    pub concern: Option<Concern>,
    /// The name that the machine has in its session; `None` if no session documents are compared, or if the difference
    /// is in the session document itself.
    pub machine: Option<String>,
    /// The kind of item that differs, such as "state" or "field".
    pub what: &'static str,
    /// The name of the item; empty if there can be only one such item.
    pub name: String,
    /// The added or removed content, or the old and the new value.
    pub detail: String,
}

/// The kind of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The item is new.
    Added,
    /// The item was removed.
    Removed,
    /// The item has changed.
    Changed,
}

impl Kind {
    /// Returns the word used in messages and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Added => "added",
            Kind::Removed => "removed",
            Kind::Changed => "changed",
        }
    }
}

/// A kind of change that a reviewer of a new version must not miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Concern {
    /// The content that a person approves.
    Review,
    /// Which tools run, or are recorded, denied or advertised, and in which states.
    Gating,
    /// Which events lead to which states, which data decides whether the events are accepted, and whether the events
    /// need a token.
    Approval,
}

impl Concern {
    /// All concerns.
    pub const ALL: [Concern; 3] = [Concern::Review, Concern::Gating, Concern::Approval];

    /// Returns the word used in messages and in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Concern::Review => "review",
            Concern::Gating => "gating",
            Concern::Approval => "approval",
        }
    }
}

/// A statement that a version makes, in parts whose order matters.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(super) concern: Option<Concern>,
    pub(super) what: &'static str,
    pub(super) name: String,
    pub(super) parts: Vec<String>,
    /// Whether only the order of the parts common to both versions is compared.
    pub(super) order: bool,
}

/// Compares the facts of two versions. Facts with the same subject are paired; a subject occurs only once per version.
pub(crate) fn compare(old: &[Fact], new: &[Fact]) -> Vec<Change> {
    let key = |fact: &Fact| (fact.what, fact.name.clone());
    let index = |facts: &'_ [Fact]| -> HashMap<(&'static str, String), usize> {
        let keys = facts.iter().map(key);
        keys.enumerate().map(|(at, key)| (key, at)).collect()
    };
    let (was, is) = (index(old), index(new));
    let change = |fact: &Fact, kind, detail| Change {
        kind,
        concern: fact.concern,
        machine: None,
        what: fact.what,
        name: fact.name.clone(),
        detail,
    };
    let mut found = Vec::new();
    for before in old {
        match is.get(&key(before)).map(|at| &new[*at]) {
            None if before.order => {}
            None => found.push(change(before, Kind::Removed, before.parts.join("; "))),
            Some(after) => {
                let detail = if before.order {
                    reordered(&before.parts, &after.parts)
                } else {
                    altered(&before.parts, &after.parts)
                };
                found.extend(detail.map(|detail| change(after, Kind::Changed, detail)));
            }
        }
    }
    for after in new.iter().filter(|fact| !fact.order) {
        if !was.contains_key(&key(after)) {
            found.push(change(after, Kind::Added, after.parts.join("; ")));
        }
    }
    found
}

/// Describes the old and the new value of a fact, without the unchanged parts.
pub(super) fn altered(old: &[String], new: &[String]) -> Option<String> {
    if old == new {
        return None;
    }
    let (was, is) = (without(old, new), without(new, old));
    Some(match (was.is_empty(), is.is_empty()) {
        (false, false) => format!("{} → {}", was.join("; "), is.join("; ")),
        (false, true) => format!("no longer {}", was.join("; ")),
        (true, false) => format!("now also {}", is.join("; ")),
        (true, true) => format!("{} → {}", old.join("; "), new.join("; ")),
    })
}

/// Returns the parts that are not among the others.
fn without<'a>(parts: &'a [String], others: &[String]) -> Vec<&'a str> {
    let others: HashSet<&String> = others.iter().collect();
    let parts = parts.iter().filter(|part| !others.contains(part));
    parts.map(String::as_str).collect()
}

fn reordered(old: &[String], new: &[String]) -> Option<String> {
    let common = |parts: &[String], others: &[String]| -> Vec<String> {
        let others: HashSet<&String> = others.iter().collect();
        let parts = parts.iter().filter(|part| others.contains(part));
        parts.cloned().collect()
    };
    let (was, is) = (common(old, new), common(new, old));
    (was != is).then(|| format!("{} → {}", was.join(", "), is.join(", ")))
}
