//! Reads the top level of a spec.

use super::declarations::{
    block_of_fields, command, effect, external_tools, signal, tool, type_decl,
};
use super::reader::Reader;
use super::scenarios::scenario;
use super::statements::UsedNames;
use super::states::state;
use super::tokens::Bracket;
use super::transitions::handler;
use crate::source::Spanned;
use crate::syntax::ast::{Name, Path, Spec};

const KEYS: [&str; 18] = [
    "machine",
    "version",
    "deny",
    "review",
    "summary",
    "context",
    "type",
    "data",
    "command",
    "signal",
    "tool",
    "effect",
    "external_tools",
    "other_tools",
    "state",
    "final",
    "invariant",
    "scenario",
];

/// Keys that may appear only once.
const ONCE: [&str; 9] = [
    "machine",
    "version",
    "deny",
    "review",
    "summary",
    "context",
    "data",
    "external_tools",
    "other_tools",
];

const HEAD_KEYS: [&str; 3] = ["one", "many", "max_live"];

pub(super) fn machine(reader: &mut Reader<'_>) -> Spec {
    let mut spec = Spec::default();
    let mut seen = UsedNames::default();
    let start = reader.here();
    reader.statements(|reader, doc| {
        let key = reader.key("a machine", &KEYS)?;
        if ONCE.contains(&key.as_str()) {
            seen.is_new(reader, "key", &key);
        }
        match key.as_str() {
            "machine" => head(reader, &mut spec, doc),
            "type" | "command" | "signal" | "tool" | "effect" => {
                declaration(reader, &mut spec, &mut seen, &key, doc)
            }
            "state" | "final" | "invariant" | "scenario" => {
                named(reader, &mut spec, &mut seen, &key, doc)
            }
            _ => setting(reader, &mut spec, &key),
        }
    });
    for (missing, there) in [
        ("machine", seen.has("key", "machine")),
        ("state", !spec.states.is_empty()),
    ] {
        if !there {
            let message = format!("this machine has no `{missing}`, which is required");
            reader.shape(start, message);
        }
    }
    spec
}

/// Reads `machine Name (many, max_live 3);`.
fn head(reader: &mut Reader<'_>, spec: &mut Spec, doc: Option<Name>) -> Option<()> {
    spec.doc = doc;
    spec.machine = Some(reader.name("the machine's name")?);
    if let Some(run) = reader.group(Bracket::Round) {
        let mut seen = UsedNames::default();
        reader.list(run, |reader| {
            let key = reader.key("a machine's head", &HEAD_KEYS)?;
            seen.is_new(reader, "key", &key);
            if key.node == "max_live" {
                spec.max_live = Some(reader.positive("`max_live`")?);
            } else {
                spec.many = Some(key.map(|word| word == "many"));
            }
            Some(())
        });
    }
    reader.finish()
}

/// Reads a setting: a key with its value.
fn setting(reader: &mut Reader<'_>, spec: &mut Spec, key: &Name) -> Option<()> {
    match key.as_str() {
        "version" => spec.version = Some(reader.positive("`version`")?),
        "deny" => {
            reader.key("`deny`", &["warnings"])?;
            spec.deny_warnings = true;
        }
        "review" => spec.review = paths(reader)?,
        "summary" => spec.summary = reader.names("a field's name")?,
        "context" => spec.context = block_of_fields(reader)?,
        "data" => spec.data = block_of_fields(reader)?,
        "external_tools" => spec.external_tools = external_tools(reader)?,
        _ => {
            spec.other_tools = Some(handler(reader, key.span)?);
            return Some(());
        }
    }
    reader.finish()
}

/// Reads `goal, steps.tool`.
fn paths(reader: &mut Reader<'_>) -> Option<Vec<Path>> {
    let mut paths = vec![path(reader)?];
    while reader.eat(",") {
        paths.push(path(reader)?);
    }
    Some(paths)
}

fn path(reader: &mut Reader<'_>) -> Option<Path> {
    let start = reader.here();
    let mut names = vec![reader.name("a path such as `steps.tool`")?];
    while reader.eat(".") {
        names.push(reader.name("a field's name")?);
    }
    Some(Spanned::new(names, start.to(reader.before())))
}

fn declaration(
    reader: &mut Reader<'_>,
    spec: &mut Spec,
    seen: &mut UsedNames,
    key: &Name,
    doc: Option<Name>,
) -> Option<()> {
    match key.as_str() {
        "type" => {
            let made = type_decl(reader, doc)?;
            let new = seen.is_new(reader, "type", &made.name);
            spec.types.extend(new.then_some(made));
        }
        "command" => {
            let made = command(reader, doc)?;
            let new = seen.is_new(reader, "command", &made.name);
            spec.commands.extend(new.then_some(made));
        }
        "signal" => {
            let made = signal(reader, doc)?;
            let new = seen.is_new(reader, "signal", &made.name);
            spec.signals.extend(new.then_some(made));
        }
        "tool" => {
            let made = tool(reader, doc)?;
            let new = seen.is_new(reader, "tool", &made.name);
            spec.tools.extend(new.then_some(made));
        }
        _ => {
            let made = effect(reader, doc)?;
            let new = seen.is_new(reader, "effect", &made.name);
            spec.effects.extend(new.then_some(made));
        }
    }
    reader.finish()
}

fn named(
    reader: &mut Reader<'_>,
    spec: &mut Spec,
    seen: &mut UsedNames,
    key: &Name,
    doc: Option<Name>,
) -> Option<()> {
    match key.as_str() {
        "invariant" => {
            let name = reader.name("the invariant's name")?;
            reader.expect(":")?;
            let run = reader.run(&[";"]);
            let new = seen.is_new(reader, "invariant", &name);
            let made = reader.property(name, run).filter(|_| new);
            spec.invariants.extend(made);
        }
        "scenario" => {
            let made = scenario(reader)?;
            let new = seen.is_new(reader, "scenario", &made.name);
            spec.scenarios.extend(new.then_some(made));
        }
        _ => {
            let made = state(reader, key, doc)?;
            let new = seen.is_new(reader, "state", &made.name);
            spec.states.extend(new.then_some(made));
        }
    }
    reader.finish()
}
