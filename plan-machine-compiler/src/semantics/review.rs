//! The content that a person approves: the reviewed object, its edition and its token.

use plan_machine_kernel::digest::Token;
use plan_machine_kernel::json::{Json, Object};

use super::convert::to_json;
use super::record::Record;
use crate::model::types::Type;
use crate::model::value::Value;
use crate::model::{FieldId, Machine};

/// Returns the token of the record's current content.
#[must_use]
pub fn token(machine: &Machine, record: &Record) -> Token {
    Token::of(record.edition, &reviewed(machine, record))
}

/// Returns an object with the reviewed fields, in the shape of the data; unset fields are omitted.
fn reviewed(machine: &Machine, record: &Record) -> Json {
    let mut fields: Vec<FieldId> = machine.review.iter().map(|path| path.field).collect();
    fields.sort();
    fields.dedup();
    let mut object = Object::new();
    for field in fields {
        let value = &record.data[field.index()];
        if !value.is_set() {
            continue;
        }
        let paths = machine.review.iter().filter(|path| path.field == field);
        let parts: Vec<&[FieldId]> = paths.map(|path| path.parts.as_slice()).collect();
        let declared = machine.field(field);
        object.push(
            declared.name.clone(),
            kept(machine, value, &declared.ty, &parts),
        );
    }
    Json::Object(object)
}

/// Returns the parts of a value that the paths select; an empty path selects the whole value.
fn kept(machine: &Machine, value: &Value, ty: &Type, paths: &[&[FieldId]]) -> Json {
    if paths.iter().any(|path| path.is_empty()) {
        return to_json(machine, value, ty);
    }
    match (value, ty.required()) {
        (Value::List(items), Type::List(item)) => Json::List(
            items
                .iter()
                .map(|value| kept(machine, value, item, paths))
                .collect(),
        ),
        (Value::Record(values), Type::Record(id)) => {
            let mut object = Object::new();
            for (at, field) in machine.type_def(*id).fields().iter().enumerate() {
                let inner: Vec<&[FieldId]> = paths
                    .iter()
                    .filter(|path| path[0] == FieldId::at(at))
                    .map(|path| &path[1..])
                    .collect();
                if !inner.is_empty() && values[at].is_set() {
                    object.push(
                        field.name.clone(),
                        kept(machine, &values[at], &field.ty, &inner),
                    );
                }
            }
            Json::Object(object)
        }
        (value, ty) => to_json(machine, value, ty),
    }
}
