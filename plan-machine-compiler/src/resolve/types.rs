//! Resolves types, fields with their bounds, and effects.

use std::collections::HashMap;

use super::{Resolver, declare, position, text};
use crate::diagnostic::{Code, Diagnostic, Loss};
use crate::model::machine::{DataPath, Effect, Machine};
use crate::model::types::{Field, Type, TypeDef, TypeDefKind};
use crate::model::{EffectId, FieldId, TypeId};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{self, Path, Spec, TypeExpr, TypeKind};

/// The built-in types, which need no declaration.
const BUILT_IN: [(&str, Type); 6] = [
    ("string", Type::Text),
    ("int", Type::Int),
    ("bool", Type::Bool),
    ("time", Type::Time),
    ("id", Type::Id),
    ("json", Type::Json),
];

/// Returns the name that the spec language uses for a type from another language.
fn elsewhere(name: &str) -> Option<&'static str> {
    Some(match name.to_lowercase().as_str() {
        "str" | "text" => "string",
        "integer" | "number" | "i64" | "u64" | "long" => "int",
        "boolean" => "bool",
        "datetime" | "timestamp" | "date" | "instant" => "time",
        "uuid" => "id",
        "object" | "any" | "map" => "json",
        "list" | "array" | "vec" => "[string]",
        _ => return None,
    })
}

fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

/// Returns the fields of a record type, or of the record type inside a list or an optional. For any other type, the
/// result is empty.
pub(super) fn record_inside<'m>(machine: &'m Machine, ty: &Type) -> &'m [Field] {
    match ty {
        Type::List(inner) | Type::Optional(inner) => record_inside(machine, inner),
        Type::Record(id) => machine.type_def(*id).fields(),
        _ => &[],
    }
}

/// The maximum number of types that a spec may declare. This also limits the length of a chain of records in which each
/// contains the next.
const MAX_TYPES: usize = 500;
/// The maximum number of fields in a record, including those of nested records: without this limit, records that
/// contain two records at every level would become huge when they are written out.
const MAX_TYPE: usize = 10_000;

/// Counts the fields of a type, including those of nested records; a record that contains itself counts once.
fn size(machine: &Machine, id: TypeId, known: &mut [Option<usize>]) -> usize {
    if let Some(size) = known[id.index()] {
        return size;
    }
    known[id.index()] = Some(1);
    let mut total = 0_usize;
    for field in machine.type_def(id).fields() {
        let mut ty = &field.ty;
        while let Type::List(inner) | Type::Optional(inner) = ty {
            ty = inner;
        }
        total = total.saturating_add(match ty {
            Type::Record(inner) => size(machine, *inner, known).saturating_add(1),
            _ => 1,
        });
    }
    known[id.index()] = Some(total);
    total
}

impl Resolver<'_> {
    /// Declares every type by name first, so that records may use types declared after them.
    pub(super) fn declare_types(&mut self, spec: &Spec) {
        if let Some(one_more) = spec.types.get(MAX_TYPES) {
            let message =
                format!("a spec may declare at most {MAX_TYPES} types; this spec declares more");
            self.report(Diagnostic::new(Code::PM0107, one_more.name.span, message));
        }
        let mut kept = Vec::new();
        for declared in spec.types.iter().take(MAX_TYPES) {
            let name = &declared.name;
            if let Some(first) = self.types.get(&name.node) {
                let first = self.machine.type_def(*first).span;
                declare::twice(self.sink, "type", &name.node, name.span, first);
                continue;
            }
            if BUILT_IN.iter().any(|(built_in, _)| *built_in == name.node) {
                let message = format!("`{}` is a built-in type and cannot be declared", name.node);
                self.report(Diagnostic::new(Code::PM0105, name.span, message));
            }
            let id = TypeId::at(self.machine.types.len());
            self.types.insert(name.node.clone(), id);
            self.machine.types.push(TypeDef {
                name: name.node.clone(),
                span: name.span,
                doc: text(declared.doc.as_ref()),
                kind: TypeDefKind::Enum(Vec::new()),
            });
            kept.push((id, declared));
        }
        // Enums come first, because the defaults of record fields may name enum values.
        for (id, declared) in &kept {
            if let TypeKind::Enum(values) = &declared.kind {
                self.machine.types[id.index()].kind = TypeDefKind::Enum(self.enum_values(values));
                if values.is_empty() {
                    let message = format!("the enum `{}` has no values", declared.name.node);
                    self.report(Diagnostic::new(Code::PM0107, declared.name.span, message));
                }
            }
        }
        for (id, declared) in &kept {
            if let TypeKind::Record(fields) = &declared.kind {
                let fields = self.fields_of(fields, "field");
                self.machine.types[id.index()].kind = TypeDefKind::Record(fields);
            }
        }
        let mut sizes = vec![None; self.machine.types.len()];
        for (id, declared) in kept {
            self.refuse_endless(id, declared.name.span);
            if size(&self.machine, id, &mut sizes) > MAX_TYPE {
                let message = format!(
                    "`{}` has more than {MAX_TYPE} fields, counting those of nested records",
                    declared.name.node
                );
                self.report(Diagnostic::new(Code::PM0107, declared.name.span, message));
            }
        }
    }

    fn enum_values(&mut self, values: &[ast::Name]) -> Vec<String> {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        for value in values {
            match seen.get(value.as_str()) {
                Some(first) => {
                    declare::twice(self.sink, "value", &value.node, value.span, *first);
                }
                None => {
                    seen.insert(value.as_str(), value.span);
                }
            }
        }
        values.iter().map(|value| value.node.clone()).collect()
    }

    /// Reports a record that contains itself other than in a list, even as an optional: its Rust type would be
    /// infinitely large.
    fn refuse_endless(&mut self, id: TypeId, span: Span) {
        let mut seen = vec![false; self.machine.types.len()];
        let mut open = vec![id];
        while let Some(next) = open.pop() {
            for field in self.machine.type_def(next).fields() {
                let inner = match field.ty.required() {
                    Type::Record(inner) => *inner,
                    _ => continue,
                };
                if inner == id {
                    let message = format!(
                        "the record `{}` contains itself outside a list, so its type would be infinitely large",
                        self.machine.type_def(id).name
                    );
                    let help = "use a list of this record instead";
                    self.report(Diagnostic::new(Code::PM0107, span, message).help(help));
                    return;
                }
                if !std::mem::replace(&mut seen[inner.index()], true) {
                    open.push(inner);
                }
            }
        }
    }

    pub(super) fn declare_data(&mut self, spec: &Spec) {
        self.machine.data = self.fields_of(&spec.data, "field");
        self.machine.context = self.fields_of(&spec.context, "context field");
        let data = self.machine.data.iter().enumerate();
        self.fields = data
            .map(|(index, field)| (field.name.clone(), FieldId::at(index)))
            .collect();
        let context = self.machine.context.iter();
        let all: Vec<_> = self.machine.data.iter().chain(context).cloned().collect();
        for field in all {
            declare::reserved(self.sink, "field", &field.name, field.span);
        }
    }

    pub(super) fn declare_effects(&mut self, spec: &Spec) {
        for declared in &spec.effects {
            let name = &declared.name;
            if let Some(first) = self.effects.get(&name.node) {
                let first = self.machine.effect(*first).span;
                declare::twice(self.sink, "effect", &name.node, name.span, first);
                continue;
            }
            declare::snake_case(self.sink, "effect", &name.node, name.span);
            let fields = self.fields_of(&declared.fields, "field");
            let id = EffectId::at(self.machine.effects.len());
            self.effects.insert(name.node.clone(), id);
            self.machine.effects.push(Effect {
                name: name.node.clone(),
                span: name.span,
                doc: text(declared.doc.as_ref()),
                fields,
                external: declared.external,
            });
        }
    }

    /// Reads a group of fields: names must be distinct, types must exist, and bounds must suit the types.
    pub(super) fn fields_of(&mut self, declared: &[ast::Field], kind: &str) -> Vec<Field> {
        let mut seen: HashMap<&str, Span> = HashMap::new();
        let mut fields = Vec::new();
        for field in declared {
            let name = &field.name;
            if let Some(first) = seen.insert(name.as_str(), name.span) {
                declare::twice(self.sink, kind, &name.node, name.span, first);
                continue;
            }
            declare::snake_case(self.sink, kind, &name.node, name.span);
            fields.push(self.field_of(field));
        }
        fields
    }

    pub(super) fn field_of(&mut self, field: &ast::Field) -> Field {
        let ty = self.type_of(&field.ty);
        let max = field.max.and_then(|max| self.bound(max, &ty));
        if let Some(span) = field.nonblank
            && !matches!(ty.required(), Type::Text | Type::Unknown)
        {
            let message = format!(
                "`nonblank` applies only to strings, but `{}` is not a string",
                field.name.node
            );
            let found = Diagnostic::new(Code::PM0107, span, message)
                .help("remove `nonblank`, or change the type to `string`");
            self.report(found);
        }
        let mut made = Field {
            name: field.name.node.clone(),
            span: field.name.span,
            doc: text(field.doc.as_ref()),
            ty,
            max,
            nonblank: field.nonblank.is_some(),
            default: None,
        };
        if let Some(default) = &field.default {
            made.default = self.default_value(default, &made);
        }
        made
    }

    fn bound(&mut self, max: Spanned<i64>, ty: &Type) -> Option<u64> {
        let bounded = matches!(
            ty.required(),
            Type::Text | Type::List(_) | Type::Json | Type::Unknown
        );
        if !bounded {
            let message = "`max` applies only to strings, lists and `json` values";
            let found = Diagnostic::new(Code::PM0107, max.span, message).help(
                "remove `max`; to bound a number, use `require`, and state the bound as an invariant, such as \
                    `always n <= 10`",
            );
            self.report(found);
        }
        if max.node < 1 {
            let message = "`max` must be at least 1";
            self.report(Diagnostic::new(Code::PM0107, max.span, message));
            return None;
        }
        Some(max.node.unsigned_abs())
    }

    fn type_of(&mut self, written: &Spanned<TypeExpr>) -> Type {
        match &written.node {
            TypeExpr::List(inner) => {
                let item = self.type_of(inner);
                if item.is_optional() {
                    let message = "list items cannot be optional: write `[T]`, not `[T?]`";
                    self.report(Diagnostic::new(Code::PM0107, inner.span, message));
                }
                Type::List(Box::new(item))
            }
            TypeExpr::Optional(inner) => self.type_of(inner).optional(),
            TypeExpr::Named(name) => self.named_type(name),
            TypeExpr::Unreadable => Type::Unknown,
        }
    }

    fn named_type(&mut self, name: &ast::Name) -> Type {
        if let Some((_, ty)) = BUILT_IN.iter().find(|(known, _)| *known == name.node) {
            return ty.clone();
        }
        if let Some(id) = self.types.get(&name.node).copied() {
            return match self.machine.type_def(id).kind {
                TypeDefKind::Enum(ref values) if !values.is_empty() => Type::Enum(id),
                // Enums get their values before records get their fields, so a type without values is a record.
                _ => Type::Record(id),
            };
        }
        let declared: Vec<String> = self.machine.types.iter().map(|t| t.name.clone()).collect();
        let known = BUILT_IN.iter().map(|(name, _)| *name);
        let known: Vec<&str> = known.chain(declared.iter().map(String::as_str)).collect();
        let message = format!("unknown type `{}`", name.node);
        let mut found = Diagnostic::new(Code::PM0102, name.span, message);
        found = match elsewhere(&name.node) {
            Some(here) => found.help(format!("did you mean `{here}`?")),
            None => found.did_you_mean_one_of(self.sink, &name.node, known.iter().copied()),
        };
        if found.help.is_empty() {
            found = found.help(format!(
                "the available types are {}, `[T]` and `T?`",
                listed(&known)
            ));
        }
        self.sink.lose(Loss::Text);
        self.sink.push_unknown(found, &name.node);
        Type::Unknown
    }

    /// Resolves a path such as `steps.tool`: a field of the data, then fields of nested records.
    pub(super) fn data_path(&mut self, path: &Path) -> Option<DataPath> {
        let (first, rest) = path.node.split_first()?;
        let field = self.field(first)?;
        let mut ty = self.machine.field(field).ty.clone();
        let mut parts = Vec::new();
        for name in rest {
            let fields = record_inside(&self.machine, &ty).to_vec();
            let Some(part) = position(&fields, &name.node) else {
                let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
                self.unknown("field", name, known);
                return None;
            };
            ty = fields[part.index()].ty.clone();
            parts.push(part);
        }
        Some(DataPath { field, parts })
    }
}
