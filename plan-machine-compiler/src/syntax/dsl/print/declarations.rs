//! Prints fields, types and events.

use std::fmt::Write as _;

use super::expr::template;
use super::literal::literal;
use super::page::{Page, Piece, quoted, text, words};
use crate::syntax::ast::{Expr, Field, Spec, TypeExpr, TypeKind};

pub(super) fn types_and_data(page: &mut Page, spec: &Spec) {
    page.gap();
    for declared in &spec.types {
        page.doc(declared.doc.as_ref());
        let head = format!("type {} = ", declared.name.node);
        let kind = match &declared.kind {
            TypeKind::Enum(values) => {
                let values = words(values).into_iter().map(text).collect();
                Piece::Behind("enum ".to_owned(), Box::new(Piece::List('[', values, ']')))
            }
            TypeKind::Record(parts) => fields(parts),
        };
        page.statement(&Piece::Behind(head, Box::new(kind)), ";");
    }
    for (key, parts) in [("context", &spec.context), ("data", &spec.data)] {
        if !parts.is_empty() {
            let block = Piece::Behind(format!("{key} "), Box::new(fields(parts)));
            page.statement(&block, "");
        }
    }
}

pub(super) fn events(page: &mut Page, spec: &Spec) {
    page.gap();
    for command in &spec.commands {
        page.doc(command.doc.as_ref());
        let head = format!(
            "command {} = {}",
            command.name.node,
            quoted(&command.text.node)
        );
        let flags = [
            ("reviewed", command.reviewed.is_some()),
            ("shared", command.shared),
            ("each", command.each.is_some()),
        ];
        let head = with_flags(head, &flags);
        declaration(page, &head, command.unavailable.as_ref(), &command.input);
    }
    for signal in &spec.signals {
        page.doc(signal.doc.as_ref());
        let flags = [("reviewed", signal.reviewed.is_some())];
        let head = with_flags(format!("signal {}", signal.name.node), &flags);
        declaration(page, &head, signal.unavailable.as_ref(), &signal.input);
    }
    for tool in &spec.tools {
        page.doc(tool.doc.as_ref());
        let flags = [
            ("read", tool.read),
            ("external", tool.external),
            ("reviewed", tool.reviewed.is_some()),
        ];
        let head = with_flags(format!("tool {}", tool.name.node), &flags);
        declaration(page, &head, tool.unavailable.as_ref(), &tool.input);
    }
    for effect in &spec.effects {
        page.doc(effect.doc.as_ref());
        let flags = [("external", effect.external)];
        let head = with_flags(format!("effect {}", effect.name.node), &flags);
        declaration(page, &head, None, &effect.fields);
    }
}

/// Appends the flags that are set.
fn with_flags(mut head: String, flags: &[(&str, bool)]) -> String {
    for (word, _) in flags.iter().filter(|(_, there)| *there) {
        head.push(' ');
        head.push_str(word);
    }
    head
}

/// Prints a head and, if there are any, the text for denials and the fields.
fn declaration(page: &mut Page, head: &str, unavailable: Option<&Expr>, input: &[Field]) {
    let Some(unavailable) = unavailable else {
        if input.is_empty() {
            page.line(&format!("{head};"));
        } else {
            let block = Piece::Behind(format!("{head} "), Box::new(fields(input)));
            page.statement(&block, "");
        }
        return;
    };
    let mut pieces = vec![text(format!("{head} unavailable")), template(unavailable)];
    let end = if input.is_empty() { ";" } else { "" };
    if !input.is_empty() {
        pieces.push(fields(input));
    }
    page.statement(&Piece::Row(pieces), end);
}

fn fields(fields: &[Field]) -> Piece {
    Piece::List('{', fields.iter().map(field).collect(), '}')
}

fn field(field: &Field) -> Piece {
    let mut head = format!("{}: {}", field.name.node, type_expr(&field.ty.node));
    if let Some(max) = field.max {
        let _ = write!(head, " max {}", max.node);
    }
    if field.nonblank.is_some() {
        head.push_str(" nonblank");
    }
    let piece = match &field.default {
        Some(default) => Piece::Behind(format!("{head} = "), Box::new(literal(default))),
        None => text(head),
    };
    match &field.doc {
        Some(doc) => Piece::Documented(doc.clone(), Box::new(piece)),
        None => piece,
    }
}

pub(super) fn type_expr(ty: &TypeExpr) -> String {
    match ty {
        TypeExpr::Named(name) => name.node.clone(),
        TypeExpr::List(item) => format!("[{}]", type_expr(&item.node)),
        TypeExpr::Optional(inner) => format!("{}?", type_expr(&inner.node)),
        TypeExpr::Unreadable => "_".to_owned(),
    }
}
