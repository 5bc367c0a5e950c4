//! Reads transitions: targets, requirements and changes.

use super::reader::Reader;
use super::tree::{Node, NodeKind};
use crate::source::Spanned;
use crate::syntax::ast::{Emit, Fate, Insert, Name, Next, Require, Transition, Update, Which};

pub(super) const KEYS: [&str; 13] = [
    "to", "next", "when", "require", "set", "clear", "update", "remove", "insert", "append",
    "emit", "reply", "run",
];

pub(super) fn transition(reader: &mut Reader<'_>, node: &Node) -> Transition {
    let mut made = Transition {
        span: node.span,
        ..Transition::default()
    };
    if let NodeKind::Scalar(scalar) = &node.kind
        && !super::reader::is_nothing(scalar)
    {
        made.to = reader.name(node, "a state's name");
        return made;
    }
    for (key, node) in reader.map(node, "a transition").iter() {
        match key.as_str() {
            "to" => made.to = reader.name(node, "`to`"),
            "next" => made.next = next(reader, node),
            "when" => made.when = reader.condition(node, "`when`"),
            "require" => made.require = requirements(reader, node),
            "set" => made.set = reader.assignments(node, "`set`"),
            "clear" => made.clear = reader.names(node, "`clear`"),
            "update" => made.update = changes(reader, node, "`update`", update),
            "remove" => made.remove = changes(reader, node, "`remove`", remove),
            "insert" => made.insert = changes(reader, node, "`insert`", insert),
            "append" => made.append = reader.assignments(node, "`append`"),
            "emit" => made.emit = emits(reader, node),
            "reply" => made.reply = reader.value(node),
            "run" => made.fate = fate(reader, node),
            _ => reader.unknown_key(key, "a transition", &KEYS),
        }
    }
    made
}

/// Reads one of several alternatives: a transition, a state's name, or, for a host tool, `run` or `deny`.
pub(super) fn alternative(reader: &mut Reader<'_>, node: &Node) -> Transition {
    let mut made = transition(reader, node);
    let word = made
        .to
        .as_ref()
        .filter(|_| matches!(node.kind, NodeKind::Scalar(_)));
    made.fate = match word.map(Spanned::as_str) {
        Some("run") => Fate::Run,
        Some("deny") => Fate::Deny,
        _ => return made,
    };
    made.to = None;
    made
}

fn fate(reader: &mut Reader<'_>, node: &Node) -> Fate {
    if reader.bool(node, "`run`") {
        Fate::Count
    } else {
        Fate::Accept
    }
}

/// The key of a `next` that is written as a map.
pub(super) const FRESH: &str = "fresh";

fn next(reader: &mut Reader<'_>, node: &Node) -> Option<Spanned<Next>> {
    if let NodeKind::Mapping(entries) = &node.kind {
        return match &entries[..] {
            [(key, state)] if key.node == FRESH => {
                let state = reader.name(state, "`fresh`")?;
                Some(Spanned::new(Next::Fresh(state), node.span))
            }
            _ => {
                reader.shape(
                    node.span,
                    "`next` must be `none`, a state, or `{ fresh: STATE }`",
                );
                None
            }
        };
    }
    let name = reader.name(node, "`next`")?;
    let next = if name.node == "none" {
        Next::None
    } else {
        Next::Copy(name)
    };
    Some(Spanned::new(next, node.span))
}

pub(super) fn requirements(reader: &mut Reader<'_>, node: &Node) -> Vec<Require> {
    let items = reader.list(node, "`require`");
    items
        .iter()
        .filter_map(|item| requirement(reader, item))
        .collect()
}

pub(super) const REQUIREMENT_KEYS: [&str; 2] = ["that", "else"];

fn requirement(reader: &mut Reader<'_>, node: &Node) -> Option<Require> {
    let mut that = None;
    let mut otherwise = None;
    let entries = reader.map(node, "a requirement");
    for (key, node) in entries.iter() {
        match key.as_str() {
            "that" => that = reader.condition(node, "`that`"),
            "else" => otherwise = reader.template(node, "`else`"),
            _ => reader.unknown_key(key, "a requirement", &REQUIREMENT_KEYS),
        }
    }
    reader.require(&entries, node.span, "this requirement", &REQUIREMENT_KEYS);
    Some(Require {
        that: that?,
        otherwise,
    })
}

/// Reads a map from lists to their changes.
fn changes<T>(
    reader: &mut Reader<'_>,
    node: &Node,
    what: &str,
    read: fn(&mut Reader<'_>, &Name, &Node) -> Option<T>,
) -> Vec<T> {
    let entries = reader.map(node, what);
    entries
        .iter()
        .filter_map(|(list, node)| read(reader, list, node))
        .collect()
}

pub(super) const UPDATE_KEYS: [&str; 5] = ["at", "where", "first", "set", "clear"];

fn update(reader: &mut Reader<'_>, list: &Name, node: &Node) -> Option<Update> {
    let mut which = Vec::new();
    let mut set = Vec::new();
    let mut clear = Vec::new();
    let entries = reader.map(node, "an update");
    for (key, node) in entries.iter() {
        match key.as_str() {
            "at" => which.extend(position(reader, node).map(Which::At)),
            "where" => which.extend(
                reader
                    .condition(node, "`where`")
                    .map(|found| Which::Where(found.expr)),
            ),
            "first" => which.extend(
                reader
                    .condition(node, "`first`")
                    .map(|found| Which::First(found.expr)),
            ),
            "set" => set = reader.assignments(node, "`set`"),
            "clear" => clear = reader.names(node, "`clear`"),
            _ => reader.unknown_key(key, "an update", &UPDATE_KEYS),
        }
    }
    let named = entries
        .iter()
        .filter(|(key, _)| matches!(key.as_str(), "at" | "where" | "first"))
        .count();
    if named != 1 {
        reader.shape(
            node.span,
            "this update must have exactly one of `at`, `where` and `first`, which select items",
        );
    }
    if which.len() != 1 {
        return None;
    }
    Some(Update {
        list: list.clone(),
        which: which.remove(0),
        set,
        clear,
    })
}

fn position(reader: &mut Reader<'_>, node: &Node) -> Option<crate::syntax::ast::Expr> {
    reader.condition(node, "a position").map(|found| found.expr)
}

pub(super) const REMOVAL_KEYS: [&str; 1] = ["at"];

fn remove(
    reader: &mut Reader<'_>,
    list: &Name,
    node: &Node,
) -> Option<(Name, crate::syntax::ast::Expr)> {
    let mut at = None;
    let entries = reader.map(node, "a removal");
    for (key, node) in entries.iter() {
        match key.as_str() {
            "at" => at = position(reader, node),
            _ => reader.unknown_key(key, "a removal", &REMOVAL_KEYS),
        }
    }
    if !entries.iter().any(|(key, _)| key.node == "at") {
        reader.shape(
            node.span,
            "this removal has no `at`, the position of the item",
        );
    }
    Some((list.clone(), at?))
}

pub(super) const INSERTION_KEYS: [&str; 2] = ["at", "value"];

fn insert(reader: &mut Reader<'_>, list: &Name, node: &Node) -> Option<Insert> {
    let mut at = None;
    let mut value = None;
    let entries = reader.map(node, "an insertion");
    for (key, node) in entries.iter() {
        match key.as_str() {
            "at" => at = position(reader, node),
            "value" => value = reader.value(node),
            _ => reader.unknown_key(key, "an insertion", &INSERTION_KEYS),
        }
    }
    reader.require(&entries, node.span, "this insertion", &INSERTION_KEYS);
    Some(Insert {
        list: list.clone(),
        at: at?,
        value: value?,
    })
}

/// Reads `{ effect: { field: value } }`, or a list of these.
pub(super) fn emits(reader: &mut Reader<'_>, node: &Node) -> Vec<Emit> {
    if let NodeKind::Sequence(items) = &node.kind {
        return items
            .iter()
            .flat_map(|item| emit_map(reader, item))
            .collect();
    }
    emit_map(reader, node)
}

fn emit_map(reader: &mut Reader<'_>, node: &Node) -> Vec<Emit> {
    let entries = reader.map(node, "`emit`");
    entries
        .iter()
        .map(|(effect, node)| Emit {
            effect: effect.clone(),
            fields: reader.assignments(node, "an effect"),
        })
        .collect()
}
