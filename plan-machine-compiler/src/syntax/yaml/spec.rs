//! Reads the top level of a spec.

use super::declarations::{command, effect, external_tools, fields, signal, tool, type_decl};
use super::entries::{declared, positive};
use super::reader::{Reader, start};
use super::scenarios::scenario;
use super::states::{handler, state};
use super::tree::Node;
use plan_machine_kernel::suggest::nearest;

use crate::source::Spanned;
use crate::syntax::ast::{Invariant, Name, Path, Spec};

pub(super) const KEYS: [&str; 20] = [
    "machine",
    "doc",
    "version",
    "deny",
    "instances",
    "max_live",
    "review",
    "summary",
    "context",
    "types",
    "data",
    "commands",
    "signals",
    "tools",
    "effects",
    "external_tools",
    "other_tools",
    "states",
    "invariants",
    "scenarios",
];

/// The keys whose values mainly use names that are declared elsewhere.
const USING: [&str; 6] = [
    "review",
    "summary",
    "other_tools",
    "states",
    "invariants",
    "scenarios",
];

/// The allowed values of `deny`.
pub(super) const DENY: [&str; 1] = ["warnings"];
/// The allowed values of `instances`.
pub(super) const INSTANCES: [&str; 2] = ["one", "many"];

pub(super) fn spec(reader: &mut Reader<'_>, root: &Node) -> Spec {
    let mut spec = Spec::default();
    let entries = reader.map(root, "a spec");
    if entries.is_empty() {
        return spec;
    }
    for (key, node) in entries.iter() {
        entry(reader, &mut spec, key, node);
    }
    for (missing, there) in [
        ("machine", spec.machine.is_some()),
        ("states", !spec.states.is_empty()),
    ] {
        let misspelt =
            |key: &Name| !KEYS.contains(&key.as_str()) && nearest(&key.node, KEYS) == Some(missing);
        let mut keys = entries.iter().map(|(key, _)| key);
        if !there && !keys.any(|key| key.node == missing || misspelt(key)) {
            let message = format!("this spec has no `{missing}`, which is required");
            reader.shape(start(&entries, root), message);
        }
    }
    spec
}

fn entry(reader: &mut Reader<'_>, spec: &mut Spec, key: &Name, node: &Node) {
    let problems = reader.problems();
    reader.set_aside(matches!(key.as_str(), "invariants" | "scenarios"));
    read_entry(reader, spec, key, node);
    reader.set_aside(false);
    // A value that could not be read may declare names. Under the keys in `USING`, most names are uses, so these keys
    // are left out.
    if reader.problems() > problems && !USING.contains(&key.as_str()) {
        reader.lose(key, node);
    }
}

fn read_entry(reader: &mut Reader<'_>, spec: &mut Spec, key: &Name, node: &Node) {
    match key.as_str() {
        "machine" => spec.machine = reader.name(node, "the machine's name"),
        "doc" => spec.doc = reader.prose(node, "`doc`"),
        "version" => spec.version = version(reader, node),
        "deny" => spec.deny_warnings = word(reader, node, "deny", &DENY).is_some(),
        "instances" => {
            spec.many = word(reader, node, "instances", &INSTANCES)
                .map(|found| found.map(|word| word == "many"));
        }
        "max_live" => spec.max_live = positive(reader, node, "`max_live`"),
        "review" => spec.review = paths(reader, node),
        "summary" => spec.summary = reader.names(node, "`summary`"),
        "context" => spec.context = fields(reader, node, "`context`"),
        "types" => spec.types = declared(reader, node, "`types`", type_decl),
        "data" => spec.data = fields(reader, node, "`data`"),
        "commands" => spec.commands = declared(reader, node, "`commands`", command),
        "signals" => {
            spec.signals = declared(reader, node, "`signals`", |reader, name, node| {
                Some(signal(reader, name, node))
            });
        }
        "tools" => {
            spec.tools = declared(reader, node, "`tools`", |reader, name, node| {
                Some(tool(reader, name, node))
            });
        }
        "effects" => {
            spec.effects = declared(reader, node, "`effects`", |reader, name, node| {
                Some(effect(reader, name, node))
            });
        }
        "external_tools" => spec.external_tools = external_tools(reader, node),
        "other_tools" => spec.other_tools = handler(reader, node),
        "states" => {
            spec.states = declared(reader, node, "`states`", |reader, name, node| {
                Some(state(reader, name, node))
            });
        }
        "invariants" => spec.invariants = declared(reader, node, "`invariants`", invariant),
        "scenarios" => spec.scenarios = scenarios(reader, node),
        _ => reader.unknown_key(key, "a spec", &KEYS),
    }
}

fn version(reader: &mut Reader<'_>, node: &Node) -> Option<Spanned<i64>> {
    positive(reader, node, "`version`")
}

/// Reads one of a few allowed words.
fn word(reader: &mut Reader<'_>, node: &Node, key: &str, allowed: &[&str]) -> Option<Name> {
    let found = reader.text(node, &format!("`{key}`"))?;
    if allowed.contains(&found.as_str()) {
        return Some(found);
    }
    reader.shape(
        node.span,
        format!("`{key}` must be `{}`", allowed.join("` or `")),
    );
    None
}

fn paths(reader: &mut Reader<'_>, node: &Node) -> Vec<Path> {
    let items = reader.list(node, "`review`");
    items
        .iter()
        .filter_map(|item| {
            let text = reader.text(item, "a path such as `steps.tool`")?;
            let names: Vec<Name> = text
                .node
                .split('.')
                .map(|part| Spanned::new(part.to_owned(), text.span))
                .collect();
            names
                .iter()
                .all(|name| reader.is_name(name))
                .then_some(Spanned::new(names, item.span))
        })
        .collect()
}

fn invariant(reader: &mut Reader<'_>, name: &Name, node: &Node) -> Option<Invariant> {
    let (property, text) = reader.invariant(node)?;
    Some(Invariant {
        name: name.clone(),
        property,
        text,
    })
}

fn scenarios(reader: &mut Reader<'_>, node: &Node) -> Vec<crate::syntax::ast::Scenario> {
    let entries = reader.map(node, "`scenarios`");
    let scenarios = entries
        .iter()
        .map(|(name, node)| scenario(reader, name, node));
    scenarios.collect()
}
