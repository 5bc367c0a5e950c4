//! The list of tools. It depends only on the documents and not on the state of a session, as the protocol requires.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::json::object;
use crate::keeper::{HANDLE, OwnSchema, STATUS, WAIT};

/// Returns all tools, in a stable order: those of the machines in the order of the documents, then our own.
pub(super) fn all(schemas: &[OwnSchema]) -> Vec<Tool> {
    let mut tools: Vec<Tool> = Vec::new();
    for OwnSchema {
        name,
        doc,
        schema,
        reads,
    } in schemas
    {
        if is_ours(name) || tools.iter().any(|tool| tool.name == name.as_str()) {
            continue;
        }
        let tool = Tool::new(name.clone(), doc.clone(), with_handle(object(schema)));
        // A machine's tool changes at most its plan.
        tools.push(tool.with_annotations(hints(*reads)));
    }
    tools.push(ours(
        STATUS,
        "Return the state of the plan, what it asks of you, and which tools are allowed now.",
    ));
    tools.push(ours(
        WAIT,
        "Wait until the person has decided about the plan. Return after a decision, or after 50 seconds without one; \
         in that case, call it again, or end your turn.",
    ));
    tools
}

/// Returns whether a tool belongs to the server and not to a machine.
pub(super) fn is_ours(tool: &str) -> bool {
    tool == STATUS || tool == WAIT
}

fn ours(name: &'static str, doc: &'static str) -> Tool {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), json!("object"));
    schema.insert("properties".to_owned(), json!({}));
    schema.insert("additionalProperties".to_owned(), json!(false));
    Tool::new(name, doc, with_handle(schema)).with_annotations(hints(true))
}

fn hints(reads: bool) -> ToolAnnotations {
    let hints = ToolAnnotations::new().read_only(reads).destructive(false);
    hints.idempotent(reads).open_world(false)
}

/// Adds the argument with the session handle, so that a client that validates arguments accepts it.
fn with_handle(mut schema: JsonObject) -> JsonObject {
    schema
        .entry("type".to_owned())
        .or_insert_with(|| json!("object"));
    let properties = schema
        .entry("properties".to_owned())
        .or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.entry(HANDLE.to_owned()).or_insert_with(|| {
            json!({
                "type": "string",
                "description": "Leave this out, unless `plan_status` has returned a handle.",
            })
        });
    }
    schema
}

#[cfg(test)]
mod tests {
    use plan_machine_kernel::json::Json;

    use super::*;

    fn schema(name: &str) -> OwnSchema {
        let schema = r#"{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}"#;
        let schema = Json::parse(schema).expect("JSON");
        OwnSchema {
            name: name.to_owned(),
            doc: format!("Does {name}."),
            schema,
            reads: name == "b",
        }
    }

    #[test]
    fn the_machines_tools_come_first_and_every_tool_takes_a_handle() {
        let tools = all(&[schema("b"), schema("a")]);
        let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
        assert_eq!(names, ["b", "a", STATUS, WAIT]);
        for tool in &tools {
            let properties = &tool.input_schema["properties"];
            assert_eq!(properties[HANDLE]["type"], "string", "{}", tool.name);
            assert_eq!(tool.input_schema["additionalProperties"], false);
        }
        assert_eq!(tools[0].input_schema["required"], json!(["text"]));
        let reads = |tool: &Tool| {
            tool.annotations
                .as_ref()
                .and_then(|hints| hints.read_only_hint)
        };
        assert_eq!(reads(&tools[0]), Some(true));
        assert_eq!(reads(&tools[1]), Some(false));
    }

    #[test]
    fn no_name_appears_twice() {
        let tools = all(&[schema("a"), schema("a"), schema(STATUS)]);
        assert_eq!(tools.len(), 3);
    }
}
