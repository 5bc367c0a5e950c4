//! JSON schemas of tools, in the formats of the model APIs.

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::stored;
pub use plan_machine_kernel::tools::Shape;

use crate::model::machine::{EventKind, Machine};
use crate::model::types::{Field, Type, TypeDefKind};
use crate::model::value::Value;
use crate::model::{Checked, EventId, TypeId};

/// Returns a list of tools in the format of an API, sorted by name; a tool without `doc` has no description.
#[must_use]
pub fn tools(machine: &Checked<Machine>, tools: &[EventId], shape: Shape) -> Json {
    let mut tools = tools.to_vec();
    tools.sort_by(|a, b| machine.event(*a).name.cmp(&machine.event(*b).name));
    let shaped = tools.into_iter().map(|tool| {
        let event = machine.event(tool);
        let description = event.doc.as_deref().unwrap_or_default().trim();
        shape.tool(&event.name, description, input_schema(machine, tool))
    });
    shaped.collect::<Vec<Json>>().into()
}

/// Returns the JSON schema of an event's payload. In a machine with many plans, the payload of a tool or signal has a
/// `plan_id`, unless only `none` handles the event: such an event is not addressed to a record.
#[must_use]
pub fn input_schema(machine: &Checked<Machine>, event: EventId) -> Json {
    let mut seen = Vec::new();
    let mut schema = record(machine, &machine.event(event).input, &mut seen);
    if addresses_a_record(machine, event) {
        add_plan_id(&mut schema);
    }
    schema.into()
}

/// Returns the JSON schema of the context that the host sends with every event.
#[must_use]
pub fn context_schema(machine: &Checked<Machine>) -> Json {
    record(machine, &machine.context, &mut Vec::new()).into()
}

fn addresses_a_record(machine: &Machine, event: EventId) -> bool {
    let carries = matches!(
        machine.event(event).kind,
        EventKind::Tool { .. } | EventKind::Signal
    );
    let mut leaves = machine.leaves_of_records();
    machine.is_many() && carries && leaves.any(|leaf| machine.alternatives(leaf, event).is_some())
}

/// Adds `plan_id` to a schema as the first property, before the fields of the payload.
fn add_plan_id(schema: &mut Object) {
    let mut plan_id = Object::new();
    plan_id.push("type", "string");
    plan_id.push("description", "The plan that this call applies to.");
    let mut properties: Object = [("plan_id", plan_id)].into_iter().collect();
    let mut required = vec![Json::from("plan_id")];
    if let Some(Json::Object(fields)) = schema.remove("properties") {
        for (name, field) in fields {
            properties.insert(name, field);
        }
    }
    if let Some(Json::List(names)) = schema.remove("required") {
        required.extend(names);
    }
    let closed = schema.remove("additionalProperties");
    schema.push("properties", properties);
    schema.push("required", required);
    schema.push("additionalProperties", closed.unwrap_or(Json::Bool(false)));
}

/// Returns the schema of an object with exactly these fields. `seen` lists the record types that enclose the object.
fn record(machine: &Machine, fields: &[Field], seen: &mut Vec<TypeId>) -> Object {
    let mut properties = Object::new();
    let mut required = Vec::new();
    for field in fields {
        properties.push(field.name.clone(), field_schema(machine, field, seen));
        if !field.ty.is_optional() && field.default.is_none() {
            required.push(Json::from(field.name.as_str()));
        }
    }
    let mut object = Object::new();
    object.push("type", "object");
    object.push("properties", properties);
    if !required.is_empty() {
        object.push("required", required);
    }
    object.push("additionalProperties", false);
    object
}

fn field_schema(machine: &Machine, field: &Field, seen: &mut Vec<TypeId>) -> Object {
    let ty = field.ty.required();
    let mut schema = type_schema(machine, ty, seen);
    let mut doc = field.doc.as_deref().map(|doc| doc.trim().to_owned());
    match (field.bound(), ty) {
        (None, _) => {}
        (Some(max), Type::Text | Type::Id) => schema.push("maxLength", max),
        (Some(max), Type::List(_)) => schema.push("maxItems", max),
        (Some(max), _) => {
            // JSON Schema cannot limit the size of a value, so the description states the limit.
            let bound = format!("{} {}", doc.unwrap_or_default(), at_most(max));
            doc = Some(bound.trim().to_owned());
        }
    }
    if field.nonblank {
        schema.push("pattern", r"\S");
    }
    if let Some(doc) = doc {
        schema.insert("description", doc);
    }
    if let Some(default) = &field.default {
        schema.push("default", value_json(machine, ty, default));
    }
    schema
}

fn at_most(bytes: u64) -> String {
    let unit = if bytes == 1 { "byte" } else { "bytes" };
    format!("At most {bytes} {unit}.")
}

fn type_schema(machine: &Machine, ty: &Type, seen: &mut Vec<TypeId>) -> Object {
    let mut schema = Object::new();
    match ty {
        Type::Text | Type::Id => schema.push("type", "string"),
        Type::Int => schema.push("type", "integer"),
        Type::Bool => schema.push("type", "boolean"),
        Type::Time => {
            schema.push("type", "string");
            schema.push("format", "date-time");
        }
        Type::List(item) => {
            schema.push("type", "array");
            let mut items = type_schema(machine, item, seen);
            if **item == Type::Json {
                items.push("description", at_most(stored::MOST_JSON));
            }
            schema.push("items", items);
        }
        Type::Optional(inner) => return type_schema(machine, inner, seen),
        Type::Enum(id) | Type::Record(id) => return declared(machine, *id, seen),
        // A `json` value may be any JSON; the other types occur only in replies, never in a payload.
        Type::Json | Type::Shape(_) | Type::Data | Type::Plans | Type::Unknown => {}
    }
    schema
}

fn declared(machine: &Machine, id: TypeId, seen: &mut Vec<TypeId>) -> Object {
    let def = machine.type_def(id);
    let mut schema = match &def.kind {
        TypeDefKind::Enum(values) => {
            let values: Vec<Json> = values.iter().map(|value| value.as_str().into()).collect();
            let mut schema = Object::new();
            schema.push("type", "string");
            schema.push("enum", values);
            schema
        }
        // The schema of a record that contains itself would never end.
        TypeDefKind::Record(_) if seen.contains(&id) => [("type", "object")].into_iter().collect(),
        TypeDefKind::Record(fields) => {
            seen.push(id);
            let schema = record(machine, fields, seen);
            seen.pop();
            schema
        }
    };
    if let Some(doc) = &def.doc {
        schema.push("description", doc.trim());
    }
    schema
}

/// Returns a value of a type as JSON; unset fields of records are omitted.
fn value_json(machine: &Machine, ty: &Type, value: &Value) -> Json {
    match (value, ty.required()) {
        (Value::Bool(truth), _) => (*truth).into(),
        (Value::Int(number), _) => (*number).into(),
        (Value::Text(text), _) => text.as_ref().into(),
        (Value::Time(instant), _) => instant.to_string().into(),
        (Value::Json(json), _) => json.as_ref().clone(),
        (Value::Enum(at), Type::Enum(id)) => {
            let name = machine.type_def(*id).values().get(*at as usize);
            name.map_or(Json::Null, |name| name.as_str().into())
        }
        (Value::List(items), Type::List(item)) => {
            let items = items.iter().map(|value| value_json(machine, item, value));
            items.collect::<Vec<Json>>().into()
        }
        (Value::Record(values), Type::Record(id)) => {
            let fields = machine.type_def(*id).fields().iter().zip(values);
            let set = fields.filter(|(_, value)| value.is_set());
            let pairs = set
                .map(|(field, value)| (field.name.clone(), value_json(machine, &field.ty, value)));
            pairs.collect::<Object>().into()
        }
        _ => Json::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{compiled, spec};
    use super::*;

    fn schema(spec_name: &str, tool: &str) -> Json {
        let machine = spec(spec_name);
        let tool = machine.event_named(tool).expect("the tool is declared");
        input_schema(&machine, tool)
    }

    fn json(text: &str) -> Json {
        Json::parse(text).expect("JSON")
    }

    #[test]
    fn a_tool_tells_its_fields_bounds_and_docs() {
        let expected = json(
            r#"{"type": "object", "properties": {
                "plan_markdown": {"type": "string", "maxLength": 100000, "pattern": "\\S", "description": "The whole plan."},
                "title": {"type": "string"}},
            "required": ["plan_markdown"], "additionalProperties": false}"#,
        );
        assert_eq!(schema("work_by_plan", "plan_set_content"), expected);
    }

    #[test]
    fn records_lists_enums_and_defaults_have_their_schema() {
        let expected = json(
            r#"{"type": "object", "properties": {"card": {
                "type": "object", "description": "A record that holds every kind of part.", "properties": {
                    "label": {"type": "string", "maxLength": 8, "pattern": "\\S", "description": "What is printed on it."},
                    "colour": {"type": "string", "enum": ["red", "green", "blue"], "default": "green",
                        "description": "What a card looks like."},
                    "size": SIZE,
                    "seen": {"type": "string", "format": "date-time"},
                    "extra": {"description": "At most 16 bytes."},
                    "sides": {"type": "array", "items": SIZE}},
                "required": ["label", "size", "sides"], "additionalProperties": false}},
            "required": ["card"], "additionalProperties": false}"#
                .replace(
                    "SIZE",
                    r#"{"type": "object", "properties": {"width": {"type": "integer"},
                        "height": {"type": "integer", "default": 1}},
                        "required": ["width"], "additionalProperties": false}"#,
                )
                .as_str(),
        );
        assert_eq!(schema("every_type", "add_card"), expected);
    }

    #[test]
    fn among_many_plans_a_tool_names_its_plan_unless_none_alone_handles_it() {
        let submit = json(
            r#"{"type": "object", "properties": {
                "plan_id": {"type": "string", "description": "The plan that this call applies to."}},
            "required": ["plan_id"], "additionalProperties": false}"#,
        );
        assert_eq!(schema("plan_builder", "submit"), submit);
        let create = schema("plan_builder", "create_draft").to_string();
        assert!(!create.contains("plan_id"), "{create}");
    }

    #[test]
    fn each_api_gets_its_shape_and_names_are_sorted() {
        let machine = compiled(
            "small",
            "machine: Small\ntools: { b: { doc: Go. }, a: {} }\nstates:\n  none: { on: { b: X } }\n  X: { on: { a: Y } }\n  Y: { final: true, on: { b: { next: none } } }\n",
        );
        let all = [EventId(0), EventId(1)];
        let empty = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
        let shapes = [
            (
                Shape::OpenAi,
                r#"[{"type":"function","function":{"name":"a","parameters":@}},{"type":"function","function":{"name":"b","description":"Go.","parameters":@}}]"#,
            ),
            (
                Shape::Anthropic,
                r#"[{"name":"a","input_schema":@},{"name":"b","description":"Go.","input_schema":@}]"#,
            ),
            (
                Shape::Mcp,
                r#"[{"name":"a","inputSchema":@},{"name":"b","description":"Go.","inputSchema":@}]"#,
            ),
        ];
        for (shape, expected) in shapes {
            assert_eq!(
                tools(&machine, &all, shape).to_string(),
                expected.replace('@', empty)
            );
        }
    }
}
