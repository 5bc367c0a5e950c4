//! Resolves the fields and effects that scenarios name, and reads the expected values.

use std::collections::HashMap;

use plan_machine_kernel::time::Instant;

use super::literal::fits;
use super::{Resolver, position, unknown};
use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::model::machine::Machine;
use crate::model::scenario::{Expected, ExpectedEffect};
use crate::model::types::{Field, Type};
use crate::model::{EffectId, FieldId, shown_type};
use crate::source::Spanned;
use crate::syntax::ast::{self, Literal, LiteralKind, Name};

/// The names of the fields and effects of a machine. Names that the machine does not have are reported.
pub(crate) struct Names<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) fields: &'a HashMap<String, FieldId>,
    pub(crate) effects: &'a HashMap<String, EffectId>,
    pub(crate) sink: &'a mut Sink,
}

impl Resolver<'_> {
    /// Returns the names of the fields and effects.
    pub(super) fn names(&mut self) -> Names<'_> {
        Names {
            machine: &self.machine,
            fields: &self.fields,
            effects: &self.effects,
            sink: self.sink,
        }
    }
}

impl Names<'_> {
    pub(super) fn field(&mut self, name: &Name) -> Option<FieldId> {
        let found = self.fields.get(&name.node).copied();
        if found.is_none() {
            let known = self.machine.data.iter().map(|field| field.name.as_str());
            unknown(self.sink, "field", name, known);
        }
        found
    }

    pub(super) fn effect(&mut self, name: &Name) -> Option<EffectId> {
        let found = self.effects.get(&name.node).copied();
        if found.is_none() {
            let known = self.machine.effects.iter();
            let known = known.map(|effect| effect.name.as_str());
            unknown(self.sink, "effect", name, known);
        }
        found
    }

    fn report(&mut self, code: Code, literal: &Literal, message: impl Into<String>) {
        self.sink
            .push_lost(Diagnostic::new(code, literal.span, message));
    }

    /// Resolves the expected values of some fields.
    pub(crate) fn expected_data(&mut self, data: &Literal) -> Vec<(FieldId, Spanned<Expected>)> {
        let LiteralKind::Map(entries) = &data.kind else {
            let found = Diagnostic::new(Code::PM0107, data.span, "`data` must be a map of fields");
            self.sink.push_lost(found.help("write `{ field: value }`"));
            return Vec::new();
        };
        let known = entries.iter().filter_map(|(name, literal)| {
            let field = self.field(name)?;
            let expected = expected_of(self.machine, literal, &self.machine.field(field).ty);
            Some((field, Spanned::new(expected, literal.span)))
        });
        known.collect()
    }

    /// Resolves the expected effects.
    pub(crate) fn expected_effects(
        &mut self,
        written: &Spanned<Vec<ast::ExpectedEffect>>,
    ) -> Spanned<Vec<ExpectedEffect>> {
        let all = written.node.iter();
        let all = all.filter_map(|effect| self.expected_effect(effect));
        Spanned::new(all.collect(), written.span)
    }

    fn expected_effect(&mut self, written: &ast::ExpectedEffect) -> Option<ExpectedEffect> {
        let effect = self.effect(&written.name)?;
        let fields = written.fields.as_ref();
        Some(ExpectedEffect {
            effect,
            span: written.name.span,
            fields: match fields.map(|fields| (fields, &fields.kind)) {
                None => Vec::new(),
                Some((_, LiteralKind::Scalar { text, .. })) if text.is_empty() => Vec::new(),
                Some((_, LiteralKind::Map(entries))) => {
                    let declared = &self.machine.effect(effect).fields;
                    let known = entries.iter();
                    let known = known.filter_map(|(name, literal)| {
                        let field = self.effect_field(declared, name, literal)?;
                        let ty = &declared[field.index()].ty;
                        let expected = expected_of(self.machine, literal, ty);
                        Some((field, Spanned::new(expected, literal.span)))
                    });
                    known.collect()
                }
                Some((fields, _)) => {
                    let message = "the fields of this effect are not a map";
                    self.report(Code::PM0107, fields, message);
                    Vec::new()
                }
            },
        })
    }

    /// Returns the field of an effect that has this name, and reports a value that the field can
    /// never have.
    fn effect_field(
        &mut self,
        declared: &[Field],
        name: &Name,
        literal: &Literal,
    ) -> Option<FieldId> {
        let Some(field) = position(declared, &name.node) else {
            let known = declared.iter().map(|field| field.name.as_str());
            unknown(self.sink, "field", name, known);
            return None;
        };
        let ty = &declared[field.index()].ty;
        if !fits(self.machine, literal, ty) {
            let ty = shown_type(self.machine, ty);
            let message = format!(
                "`{}` has the type `{ty}`, so it never has this value",
                name.node
            );
            self.report(Code::PM0401, literal, message);
        }
        Some(field)
    }
}

/// Reads an expected value of a type: an instant may be written in any supported format.
fn expected_of(machine: &Machine, literal: &Literal, ty: &Type) -> Expected {
    match (&literal.kind, ty.required()) {
        (LiteralKind::Scalar { text, quoted }, Type::Time) => Expected::Scalar {
            text: Instant::parse(text).map_or_else(|_| text.clone(), |instant| instant.to_string()),
            quoted: *quoted,
        },
        (LiteralKind::List(items), Type::List(item)) => Expected::List(
            items
                .iter()
                .map(|one| expected_of(machine, one, item))
                .collect(),
        ),
        (LiteralKind::Map(entries), Type::Record(id)) => {
            let fields = machine.type_def(*id).fields();
            let entries = entries.iter().map(|(name, literal)| {
                let field = fields.iter().find(|field| field.name == name.node);
                let value = match field {
                    Some(field) => expected_of(machine, literal, &field.ty),
                    None => expected(literal),
                };
                (name.node.clone(), value)
            });
            Expected::Map(entries.collect())
        }
        _ => expected(literal),
    }
}

/// Reads an expected value of any type.
pub(crate) fn expected(literal: &Literal) -> Expected {
    match &literal.kind {
        LiteralKind::Scalar { text, quoted } => Expected::Scalar {
            text: text.clone(),
            quoted: *quoted,
        },
        LiteralKind::List(items) => Expected::List(items.iter().map(expected).collect()),
        LiteralKind::Map(entries) => {
            let entries = entries.iter();
            Expected::Map(
                entries
                    .map(|(name, value)| (name.node.clone(), expected(value)))
                    .collect(),
            )
        }
    }
}
