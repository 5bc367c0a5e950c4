//! Mutants of declarations: `reviewed` and bounds.

use super::place::FieldsPlace;
use super::{Kind, Maker};
use crate::syntax::ast::{Field, Spec, TypeExpr};

/// Bounds above this limit are not dropped, because no hand-written example exceeds them.
const LARGEST: i64 = 1_000;

impl Maker<'_> {
    pub(super) fn declarations(&mut self) {
        let Spec {
            commands,
            signals,
            tools,
            data,
            ..
        } = self.spec;
        for (at, command) in commands.iter().enumerate() {
            let name = &command.name.node;
            self.subject = format!("`{name}`");
            if let Some(span) = command.reviewed {
                let change = format!("drop `reviewed` from `{name}`");
                self.make(Kind::Reviewed, span, change, move |spec| {
                    if let Some(command) = spec.commands.get_mut(at) {
                        command.reviewed = None;
                    }
                });
            }
            self.inputs(name, &command.input, FieldsPlace::Command(at));
        }
        for (at, signal) in signals.iter().enumerate() {
            self.inputs(&signal.name.node, &signal.input, FieldsPlace::Signal(at));
        }
        for (at, tool) in tools.iter().enumerate() {
            self.inputs(&tool.name.node, &tool.input, FieldsPlace::Tool(at));
        }
        // A string in the data is usually bounded by the input that it comes from, but a list grows with every step.
        "the data".clone_into(&mut self.subject);
        for (at, field) in data.iter().enumerate() {
            if is_list(&field.ty.node) {
                self.largest(field, "the data", FieldsPlace::Data, at);
            }
        }
    }

    fn inputs(&mut self, event: &str, fields: &[Field], place: FieldsPlace) {
        let of = format!("`{event}`");
        self.subject.clone_from(&of);
        for (at, field) in fields.iter().enumerate() {
            if let Some(span) = field.nonblank {
                let change = format!("drop `nonblank` from `{}` of {of}", field.name.node);
                self.make(Kind::Bound, span, change, move |spec| {
                    if let Some(field) = place.find(spec, at) {
                        field.nonblank = None;
                    }
                });
            }
            self.largest(field, &of, place, at);
        }
    }

    fn largest(&mut self, field: &Field, of: &str, place: FieldsPlace, at: usize) {
        if let Some(max) = field.max.filter(|max| max.node <= LARGEST) {
            let change = format!(
                "drop `max: {}` from `{}` of {of}",
                max.node, field.name.node
            );
            self.make(Kind::Bound, max.span, change, move |spec| {
                if let Some(field) = place.find(spec, at) {
                    field.max = None;
                }
            });
        }
    }
}

fn is_list(ty: &TypeExpr) -> bool {
    match ty {
        TypeExpr::List(_) => true,
        TypeExpr::Optional(inner) => is_list(&inner.node),
        TypeExpr::Named(_) | TypeExpr::Unreadable => false,
    }
}
