//! Reads literals according to their expected type.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;

use super::Resolver;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::machine::Machine;
use crate::model::shown_type;
use crate::model::types::{Field, Type};
use crate::model::value::Value;
use crate::syntax::ast::{Literal, LiteralKind};

impl Resolver<'_> {
    /// Returns the value of a `default`.
    pub(super) fn default_value(&mut self, default: &Literal, field: &Field) -> Option<Value> {
        let value = value_of_field(&self.machine, default, field);
        if value.is_none() && field.ty != Type::Unknown {
            let message = format!(
                "the default of `{}` must have the type `{}`, found {}",
                field.name,
                shown_type(&self.machine, field.ty.required()),
                shown(default)
            );
            let found = Diagnostic::new(Code::PM0401, default.span, message);
            let help = default.kind.is_null().then(|| help_on_null(field));
            self.report(match help {
                Some(help) => found.help(help),
                None => found,
            });
        }
        value
    }
}

/// Returns help that says what to write instead of `null`.
fn help_on_null(field: &Field) -> &'static str {
    match field.ty {
        Type::Optional(_) => "remove `default`: an optional without a default is unset",
        Type::Text | Type::Id => "put strings in quotes, such as `\"\"` or `\"null\"`",
        _ => "write a value, or remove `default`",
    }
}

/// Formats a literal for a message.
fn shown(literal: &Literal) -> String {
    match &literal.kind {
        LiteralKind::Scalar { text, .. } if text.is_empty() => "nothing".to_owned(),
        LiteralKind::Scalar { text, .. } if text.chars().count() > 40 => "a long string".to_owned(),
        LiteralKind::Scalar { text, .. } => format!("`{text}`"),
        LiteralKind::List(_) => "a list".to_owned(),
        LiteralKind::Map(_) => "a map".to_owned(),
    }
}

/// Returns the value of a literal for a field. An unset optional has no value, so `null` does not match.
fn value_of_field(machine: &Machine, literal: &Literal, field: &Field) -> Option<Value> {
    if field.ty.is_optional() && literal.kind.is_null() {
        return None;
    }
    value(machine, literal, field.ty.required())
}

/// Returns the value of a literal of the given type; `None` if the literal does not match the type.
fn value(machine: &Machine, literal: &Literal, ty: &Type) -> Option<Value> {
    match (&literal.kind, ty) {
        (null, Type::Text | Type::Id) if null.is_null() => None,
        (LiteralKind::Scalar { text, .. }, Type::Text | Type::Id) => {
            Some(Value::text(text.as_str()))
        }
        (LiteralKind::Scalar { text, .. }, Type::Int) => text.parse().ok().map(Value::Int),
        (LiteralKind::Scalar { text, .. }, Type::Bool) => text.parse().ok().map(Value::Bool),
        (LiteralKind::Scalar { text, .. }, Type::Time) => {
            Instant::parse(text).ok().map(Value::Time)
        }
        (LiteralKind::Scalar { text, .. }, Type::Enum(id)) => {
            let mut values = machine.type_def(*id).values().iter();
            let place = values.position(|value| value == text)?;
            u32::try_from(place).ok().map(Value::Enum)
        }
        (LiteralKind::List(items), Type::List(item)) => items
            .iter()
            .map(|literal| value(machine, literal, item))
            .collect::<Option<Vec<Value>>>()
            .map(Value::List),
        (LiteralKind::Map(entries), Type::Record(id)) => {
            let fields = machine.type_def(*id).fields();
            let known = |name: &str| fields.iter().any(|field| field.name == name);
            if !entries.iter().all(|(name, _)| known(&name.node)) {
                return None;
            }
            fields
                .iter()
                .map(
                    |field| match entries.iter().find(|(name, _)| name.node == field.name) {
                        Some((_, literal)) => value_of_field(machine, literal, field),
                        None => field.start(),
                    },
                )
                .collect::<Option<Vec<Value>>>()
                .map(Value::Record)
        }
        (_, Type::Json) => Some(Value::Json(json(literal).into())),
        _ => None,
    }
}

/// Returns whether a value of this type can be equal to a literal. Only scalars are examined: an expected record or list
/// is compared with the whole value when the scenario runs.
pub(super) fn fits(machine: &Machine, literal: &Literal, ty: &Type) -> bool {
    let scalar = matches!(
        ty.required(),
        Type::Text | Type::Id | Type::Int | Type::Bool | Type::Time | Type::Enum(_)
    );
    match ty {
        Type::Optional(_) if literal.kind.is_null() => true,
        _ => !scalar || value(machine, literal, ty.required()).is_some(),
    }
}

/// Reads a literal where any JSON is allowed: a plain scalar that looks like a number, a boolean or null has that type;
/// any other scalar is a string.
pub(crate) fn json(literal: &Literal) -> Json {
    match &literal.kind {
        LiteralKind::Scalar {
            text,
            quoted: false,
        } => match Json::parse(text) {
            Ok(
                json @ (Json::Null | Json::Bool(_) | Json::Int(_) | Json::Uint(_) | Json::Float(_)),
            ) => json,
            _ if text.is_empty() => Json::Null,
            _ => Json::Text(text.clone()),
        },
        LiteralKind::Scalar { text, .. } => Json::Text(text.clone()),
        LiteralKind::List(items) => Json::List(items.iter().map(json).collect()),
        LiteralKind::Map(entries) => {
            let mut object = Object::new();
            for (name, literal) in entries {
                object.insert(name.node.clone(), json(literal));
            }
            Json::Object(object)
        }
    }
}

/// Reads a literal as JSON of a type. A literal that does not match the type is read as the JSON that it looks like, so
/// that a scenario can show how a wrong payload is denied.
pub(super) fn typed_json(machine: &Machine, literal: &Literal, ty: &Type) -> Json {
    match (&literal.kind, ty.required()) {
        (null, _) if null.is_null() => Json::Null,
        (LiteralKind::Scalar { text, .. }, Type::Text | Type::Id | Type::Time | Type::Enum(_)) => {
            Json::Text(text.clone())
        }
        (LiteralKind::List(items), Type::List(item)) => {
            let items = items
                .iter()
                .map(|literal| typed_json(machine, literal, item));
            Json::List(items.collect())
        }
        (LiteralKind::Map(entries), Type::Record(id)) => Json::Object(typed_object(
            machine,
            entries,
            machine.type_def(*id).fields(),
        )),
        _ => json(literal),
    }
}

/// Reads a map whose keys are fields.
pub(crate) fn typed_object(
    machine: &Machine,
    entries: &[(crate::syntax::ast::Name, Literal)],
    fields: &[Field],
) -> Object {
    let mut object = Object::new();
    for (name, literal) in entries {
        let field = fields.iter().find(|field| field.name == name.node);
        let value = match field {
            Some(field) => typed_json(machine, literal, &field.ty),
            None => json(literal),
        };
        object.insert(name.node.clone(), value);
    }
    object
}
