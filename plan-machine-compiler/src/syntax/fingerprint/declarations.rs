//! Encodes fields, types, commands, signals, tools, external tools and effects.

use plan_machine_kernel::json::Json;

use super::parts::{Parts, name, tagged};
use crate::syntax::ast::{
    Command, Effect, ExternalTool, Field, Literal, LiteralKind, Signal, Tool, TypeDecl, TypeExpr,
    TypeKind,
};

pub(super) fn field(field: &Field) -> Json {
    let Field {
        name: called,
        ty,
        max,
        nonblank,
        default,
        doc: _,
    } = field;
    Parts::default()
        .part("name", name(called))
        .part("type", type_expr(&ty.node))
        .some("max", max.map(|max| max.node))
        .flag("nonblank", nonblank.is_some())
        .some("default", default.as_ref().map(literal))
        .json()
}

fn type_expr(ty: &TypeExpr) -> Json {
    match ty {
        TypeExpr::Named(named) => name(named),
        TypeExpr::List(item) => tagged("list", [type_expr(&item.node)]),
        TypeExpr::Optional(inner) => tagged("optional", [type_expr(&inner.node)]),
        TypeExpr::Unreadable => Json::Null,
    }
}

/// Encodes a literal. As in the equality of the syntax tree, quotes matter only if the scalar without them could be
/// something other than a string.
fn literal(literal: &Literal) -> Json {
    match &literal.kind {
        LiteralKind::Scalar { text, .. } => {
            let word = if literal.kind.is_text() {
                "text"
            } else {
                "scalar"
            };
            tagged(word, [Json::from(text.as_str())])
        }
        LiteralKind::List(items) => tagged("list", items.iter().map(self::literal)),
        LiteralKind::Map(entries) => tagged(
            "map",
            entries
                .iter()
                .map(|(key, value)| Json::List(vec![name(key), self::literal(value)])),
        ),
    }
}

pub(super) fn declared_type(declared: &TypeDecl) -> Json {
    let TypeDecl {
        name: called,
        doc: _,
        kind,
    } = declared;
    let parts = Parts::default().part("name", name(called));
    match kind {
        TypeKind::Enum(values) => parts.part("enum", values.iter().map(name).collect::<Vec<_>>()),
        TypeKind::Record(fields) => {
            parts.part("record", fields.iter().map(field).collect::<Vec<_>>())
        }
    }
    .json()
}

pub(super) fn command(command: &Command) -> Json {
    let Command {
        name: called,
        text,
        input,
        doc: _,
        reviewed,
        shared,
        each,
        unavailable: _,
    } = command;
    Parts::default()
        .part("name", name(called))
        .part("text", name(text))
        .list("input", input.iter().map(field))
        .flag("reviewed", reviewed.is_some())
        .flag("shared", *shared)
        .flag("each", each.is_some())
        .json()
}

pub(super) fn signal(signal: &Signal) -> Json {
    let Signal {
        name: called,
        input,
        doc: _,
        reviewed,
        unavailable: _,
    } = signal;
    Parts::default()
        .part("name", name(called))
        .list("input", input.iter().map(field))
        .flag("reviewed", reviewed.is_some())
        .json()
}

pub(super) fn tool(tool: &Tool) -> Json {
    let Tool {
        name: called,
        doc: _,
        input,
        read,
        external,
        reviewed,
        unavailable: _,
    } = tool;
    Parts::default()
        .part("name", name(called))
        .list("input", input.iter().map(field))
        .flag("read", *read)
        .flag("external", *external)
        .flag("reviewed", reviewed.is_some())
        .json()
}

pub(super) fn external_tool(tool: &ExternalTool) -> Json {
    let ExternalTool {
        name: called,
        unavailable: _,
    } = tool;
    name(called)
}

pub(super) fn effect(effect: &Effect) -> Json {
    let Effect {
        name: called,
        doc: _,
        fields,
        external,
    } = effect;
    Parts::default()
        .part("name", name(called))
        .list("fields", fields.iter().map(field))
        .flag("external", *external)
        .json()
}
