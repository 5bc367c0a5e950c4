//! Conversions between JSON and values: payloads are read from JSON; replies, effects and data are converted to JSON.

use std::sync::Arc;

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::messages::{self, reason};
use plan_machine_kernel::time::Instant;

use super::bounds::{AppliedBounds, Check};
use super::record::Record;
use crate::model::Machine;
use crate::model::types::{Field, Type};
use crate::model::value::Value;

/// Returns a value as JSON.
#[must_use]
pub fn to_json(machine: &Machine, value: &Value, ty: &Type) -> Json {
    match (value, ty) {
        (Value::Unset, _) => Json::Null,
        (value, Type::Optional(inner)) => to_json(machine, value, inner),
        (Value::Bool(truth), _) => Json::Bool(*truth),
        (Value::Int(number), _) => Json::Int(*number),
        (Value::Text(text), _) => Json::Text(text.to_string()),
        (Value::Time(instant), _) => Json::Text(instant.to_string()),
        (Value::Enum(place), Type::Enum(id)) => {
            let values = machine.type_def(*id).values();
            Json::Text(values.get(*place as usize).cloned().unwrap_or_default())
        }
        (Value::List(items), Type::List(item)) => Json::List(
            items
                .iter()
                .map(|value| to_json(machine, value, item))
                .collect(),
        ),
        (Value::Record(values), Type::Record(id)) => {
            let fields = machine.type_def(*id).fields().iter();
            object(machine, fields.map(named), values)
        }
        (Value::Record(values), Type::Shape(fields)) => object(
            machine,
            fields.iter().map(|(name, ty)| (name.as_str(), ty)),
            values,
        ),
        (Value::Record(values), Type::Data) => {
            object(machine, machine.data.iter().map(named), values)
        }
        (Value::Json(json), _) => Json::clone(json),
        _ => Json::Null,
    }
}

/// Returns the name and the type of a field.
fn named(field: &Field) -> (&str, &Type) {
    (&field.name, &field.ty)
}

/// Returns an object of fields with their values; unset fields are omitted.
fn object<'t>(
    machine: &Machine,
    fields: impl Iterator<Item = (&'t str, &'t Type)>,
    values: &[Value],
) -> Json {
    let set = fields.zip(values).filter(|(_, value)| value.is_set());
    let mut object = Object::new();
    for ((name, ty), value) in set {
        object.push(name.to_owned(), to_json(machine, value, ty));
    }
    Json::Object(object)
}

/// Returns the data of a record as JSON; unset fields are omitted.
#[must_use]
pub fn data_json(machine: &Machine, record: &Record) -> Json {
    object(machine, machine.data.iter().map(named), &record.data)
}

/// Reads the stored data of a record; missing fields get their initial value. This function checks the bounds that the
/// spec states, but not the default bounds, and not whether the record is consistent with its state.
///
/// # Errors
/// Returns an error if the data is invalid; the error contains all problems.
pub fn read_data(machine: &Machine, data: &Object) -> Result<Vec<Value>, Vec<String>> {
    let mut whole = data.clone();
    for field in &machine.data {
        if whole.get(&field.name).is_none()
            && let (Type::List(_), Some(start)) = (&field.ty, field.start())
        {
            whole.push(field.name.clone(), to_json(machine, &start, &field.ty));
        }
    }
    read_fields(machine, &machine.data, &whole, "", AppliedBounds::Stated)
}

/// Reads the declared fields from an object, checks their types and bounds, and reports all problems at once.
pub(super) fn read_fields(
    machine: &Machine,
    fields: &[Field],
    object: &Object,
    prefix: &str,
    counted: AppliedBounds,
) -> Result<Vec<Value>, Vec<String>> {
    let mut check = Check::new(machine, counted);
    for (key, json) in object.iter() {
        if !fields.iter().any(|field| field.name == key) {
            let known = fields.iter().map(|field| field.name.as_str());
            let undeclared = messages::undeclared(key, json, prefix, known);
            check.problems.push(undeclared);
        }
    }
    let values: Vec<Value> = fields
        .iter()
        .map(|field| read_field(field, object.get(&field.name), prefix, &mut check))
        .collect();
    if check.problems.is_empty() {
        Ok(values)
    } else {
        Err(check.problems)
    }
}

fn read_field(field: &Field, json: Option<&Json>, prefix: &str, check: &mut Check<'_>) -> Value {
    let name = format!("{prefix}{}", field.name);
    let absent = json.is_none_or(Json::is_null);
    let value = match json {
        Some(json) if !absent => read(json, field.ty.required(), &name, check),
        _ => match (&field.default, &field.ty) {
            (Some(default), _) => return default.clone(),
            (None, Type::Optional(_)) => return Value::Unset,
            (None, _) => {
                check.problems.push(messages::missing(&name));
                None
            }
        },
    };
    let Some(value) = value else {
        return Value::Unset;
    };
    // The bounds inside nested records were checked when those records were read.
    check.own(field, &value, &name);
    value
}

/// Reads one value; returns `None` after a problem has been reported.
fn read(json: &Json, ty: &Type, name: &str, check: &mut Check<'_>) -> Option<Value> {
    let machine = check.machine;
    let read = match (json, ty) {
        (Json::Text(text), Type::Text | Type::Id) => Ok(Value::text(text.as_str())),
        (_, Type::Text | Type::Id) => Err(reason::TEXT.to_owned()),
        (Json::Int(number), Type::Int) => Ok(Value::Int(*number)),
        (_, Type::Int) => Err(reason::INT.to_owned()),
        (Json::Bool(truth), Type::Bool) => Ok(Value::Bool(*truth)),
        (_, Type::Bool) => Err(reason::BOOL.to_owned()),
        (Json::Text(text), Type::Time) => Instant::parse(text)
            .map(Value::Time)
            .map_err(reason::instant),
        (_, Type::Time) => Err(reason::TIME.to_owned()),
        (json, Type::Enum(id)) => {
            let values = machine.type_def(*id).values();
            let place = values
                .iter()
                .position(|value| json.as_text() == Some(value));
            let place = place.and_then(|place| u32::try_from(place).ok());
            place
                .map(Value::Enum)
                .ok_or_else(|| reason::none_of(values, json))
        }
        (Json::List(items), Type::List(item)) => {
            return read_list(items, item, name, check);
        }
        (_, Type::List(_)) => Err(reason::LIST.to_owned()),
        (Json::Object(object), Type::Record(id)) => {
            let fields = machine.type_def(*id).fields();
            let prefix = format!("{name}.");
            return match read_fields(machine, fields, object, &prefix, check.counted) {
                Ok(values) => Some(Value::Record(values)),
                Err(found) => {
                    check.problems.extend(found);
                    None
                }
            };
        }
        (_, Type::Record(_)) => Err(reason::OBJECT.to_owned()),
        (json, _) => Ok(Value::Json(Arc::new(json.clone()))),
    };
    read.map_err(|why| check.problems.push(messages::unfit(name, why)))
        .ok()
}

fn read_list(items: &[Json], item: &Type, name: &str, check: &mut Check<'_>) -> Option<Value> {
    let before = check.problems.len();
    let mut values = Vec::with_capacity(items.len());
    for (index, json) in items.iter().enumerate() {
        let name = format!("{name}[{index}]");
        if let Some(value) = read(json, item, &name, check) {
            check.unstated(item, &value, &name);
            values.push(value);
        }
    }
    (check.problems.len() == before).then_some(Value::List(values))
}
