//! Converts the YAML nodes of a file to a session document, in which names are not resolved yet.
//!
//! Guarantees after this pass: every key is allowed where it appears and every value has the required shape, unless a
//! diagnostic was reported.

use super::ast::{Document, Machine};
use super::reader::{Reader, start};
use super::steps;
use super::tree::Node;
use crate::syntax::ast::{Invariant, Name};

pub(super) const KEYS: [&str; 8] = [
    "session",
    "doc",
    "deny",
    "machines",
    "calls",
    "commands",
    "invariants",
    "scenarios",
];
pub(super) const COMMAND_KEYS: [&str; 1] = ["prefix"];

/// The description of `calls` in messages.
const CALLS: &str = "`calls`, which is a file or `plan-specs:NAME`,";

/// The only valid value of `deny`.
pub(super) const WARNINGS: &str = "warnings";

/// Reads a document.
pub(super) fn document(reader: &mut Reader<'_>, root: &Node) -> Document {
    let mut document = Document::default();
    let entries = reader.map(root, "a session document");
    for (key, node) in entries.iter() {
        match key.as_str() {
            "session" => document.name = reader.name(node, "the name of the session"),
            "doc" => document.doc = reader.prose(node, "`doc`"),
            "deny" => document.deny_warnings = deny(reader, node),
            "machines" => document.machines = machines(reader, node),
            "calls" => document.calls = reader.text(node, CALLS),
            "commands" => document.prefix = prefix(reader, node),
            "invariants" => document.invariants = invariants(reader, node),
            "scenarios" => {
                let entries = reader.map(node, "`scenarios`");
                let entries = entries.iter();
                let all = entries.map(|(name, node)| steps::scenario(reader, name, node));
                document.scenarios = all.collect();
            }
            _ => reader.unknown_key(key, "a session document", &KEYS),
        }
    }
    let required = ["session", "machines"];
    let at = start(&entries, root);
    reader.require(&entries, at, "this session document", &required);
    document
}

fn deny(reader: &mut Reader<'_>, node: &Node) -> bool {
    let word = reader.text(node, "`deny`");
    let known = word.is_some_and(|word| word.node == WARNINGS);
    if !known {
        reader.shape(node.span, format!("`deny` must be `{WARNINGS}`"));
    }
    known
}

fn machines(reader: &mut Reader<'_>, node: &Node) -> Vec<Machine> {
    let before = reader.problems();
    let entries = reader.map(node, "`machines`");
    let mut machines = Vec::new();
    for (name, node) in entries.iter() {
        let source = reader.text(node, "a machine, which is a file or `plan-specs:NAME`,");
        if let (true, Some(source)) = (reader.is_name(name), source) {
            machines.push(Machine {
                name: name.clone(),
                source,
            });
        }
    }
    if machines.is_empty() && reader.problems() == before {
        let message = "`machines` is empty; add at least one entry, such as `work: plan_mode.yaml`";
        reader.shape(node.span, message);
    }
    machines
}

fn prefix(reader: &mut Reader<'_>, node: &Node) -> Option<Name> {
    let mut prefix = None;
    for (key, node) in reader.map(node, "`commands`").iter() {
        match key.as_str() {
            "prefix" => prefix = reader.text(node, "`prefix`"),
            _ => reader.unknown_key(key, "the `commands` of a session", &COMMAND_KEYS),
        }
    }
    prefix
}

fn invariants(reader: &mut Reader<'_>, node: &Node) -> Vec<Invariant> {
    let mut invariants = Vec::new();
    for (name, node) in reader.map(node, "`invariants`").iter() {
        if !reader.is_name(name) {
            continue;
        }
        if let Some((property, text)) = reader.invariant(node) {
            invariants.push(Invariant {
                name: name.clone(),
                property,
                text,
            });
        }
    }
    invariants
}
