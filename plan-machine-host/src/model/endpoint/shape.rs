//! Converts requests and answers between the host's types and the JSON of each API.

use plan_machine::Object;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::api::Api;
use crate::model::{ArgumentsError, Message, ModelCall, ModelRequest, Response, Tool, arguments};

/// The maximum number of tokens in an answer of the `anthropic` API, which requires a limit.
const MOST_TOKENS: u32 = 8192;

/// Returns the body of a request.
pub(super) fn request(api: Api, model: &str, request: &ModelRequest) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    let mut body = match api {
        Api::OpenAi => {
            if !request.system.is_empty() {
                messages.push(json!({ "role": "system", "content": request.system }));
            }
            json!({ "model": model })
        }
        Api::Anthropic if request.system.is_empty() => {
            json!({ "model": model, "max_tokens": MOST_TOKENS })
        }
        Api::Anthropic => {
            json!({ "model": model, "max_tokens": MOST_TOKENS, "system": request.system })
        }
    };
    for message in &request.messages {
        match api {
            Api::OpenAi => messages.extend(openai(message)),
            Api::Anthropic => anthropic(message, &mut messages),
        }
    }
    body["messages"] = Value::Array(messages);
    if !request.tools.is_empty() {
        body["tools"] = request.tools.iter().map(|one| tool(api, one)).collect();
    }
    body
}

/// Converts a message; an empty answer from a model is omitted.
fn openai(message: &Message) -> Option<Value> {
    Some(match message {
        Message::User(text) => json!({ "role": "user", "content": text }),
        Message::Model(Response { text, calls }) if calls.is_empty() => {
            return (!text.is_empty()).then(|| json!({ "role": "assistant", "content": text }));
        }
        Message::Model(Response { text, calls }) => {
            let calls = calls.iter().map(|call| {
                let arguments = args_of(call).to_string();
                let function = json!({ "name": call.tool, "arguments": arguments });
                json!({ "id": call.id, "type": "function", "function": function })
            });
            let content = Some(text).filter(|text| !text.is_empty());
            let calls: Vec<Value> = calls.collect();
            json!({ "role": "assistant", "content": content, "tool_calls": calls })
        }
        Message::Result {
            call_id, content, ..
        } => json!({ "role": "tool", "tool_call_id": call_id, "content": content }),
    })
}

/// Adds a message. The `anthropic` API requires one message to contain the results of all calls of a response.
fn anthropic(message: &Message, messages: &mut Vec<Value>) {
    match message {
        Message::User(text) => messages.push(json!({ "role": "user", "content": text })),
        Message::Model(Response { text, calls }) => {
            let text = Some(text).filter(|text| !text.is_empty());
            let text = text.map(|text| json!({ "type": "text", "text": text }));
            let calls = calls.iter().map(|call| {
                let input = args_of(call);
                json!({ "type": "tool_use", "id": call.id, "name": call.tool, "input": input })
            });
            let parts: Vec<Value> = text.into_iter().chain(calls).collect();
            if !parts.is_empty() {
                messages.push(json!({ "role": "assistant", "content": parts }));
            }
        }
        Message::Result {
            call_id, content, ..
        } => {
            let result =
                json!({ "type": "tool_result", "tool_use_id": call_id, "content": content });
            let last = messages.last_mut().filter(|last| last["role"] == "user");
            match last.and_then(|last| last["content"].as_array_mut()) {
                Some(results) => results.push(result),
                None => messages.push(json!({ "role": "user", "content": [result] })),
            }
        }
    }
}

/// Returns the arguments of a call. Malformed arguments are replaced with an empty object; the result of the call
/// quotes the start of the original arguments.
fn args_of(call: &ModelCall) -> Value {
    value(&call.args.clone().unwrap_or_default())
}

fn tool(api: Api, tool: &Tool) -> Value {
    let (name, description, schema) = (&tool.name, &tool.description, value(&tool.schema));
    match api {
        Api::OpenAi => json!({ "type": "function", "function": {
            "name": name, "description": description, "parameters": schema, "strict": false,
        }}),
        Api::Anthropic => {
            json!({ "name": name, "description": description, "input_schema": schema })
        }
    }
}

/// Converts between two JSON types. Both can represent the same values, so this cannot fail.
fn value(json: &impl Serialize) -> Value {
    serde_json::to_value(json).unwrap_or_default()
}

/// Parses a model's answer; returns `None` if the answer does not contain a message.
pub(super) fn response(api: Api, body: &Value) -> Option<Response> {
    match api {
        Api::OpenAi => {
            let choice = &body["choices"][0];
            let message = choice["message"].as_object()?;
            let text = message.get("content").and_then(Value::as_str);
            let calls = message.get("tool_calls").and_then(Value::as_array);
            let calls = calls.into_iter().flatten().map(openai_call);
            Some(Response {
                text: text.unwrap_or_default().trim().to_owned(),
                calls: calls.collect::<Option<_>>()?,
            })
        }
        Api::Anthropic => {
            let parts = body["content"].as_array()?;
            let of_kind =
                |kind: &'static str| parts.iter().filter(move |part| part["type"] == kind);
            let texts = of_kind("text").filter_map(|part| part["text"].as_str());
            Some(Response {
                text: texts.collect::<Vec<_>>().join("\n\n"),
                calls: of_kind("tool_use")
                    .map(anthropic_call)
                    .collect::<Option<_>>()?,
            })
        }
    }
}

fn openai_call(call: &Value) -> Option<ModelCall> {
    let function = &call["function"];
    Some(ModelCall {
        id: call["id"].as_str()?.to_owned(),
        tool: function["name"].as_str()?.to_owned(),
        args: match &function["arguments"] {
            Value::String(text) => arguments::read(text),
            other => args(other),
        },
    })
}

fn anthropic_call(call: &Value) -> Option<ModelCall> {
    Some(ModelCall {
        id: call["id"].as_str()?.to_owned(),
        tool: call["name"].as_str()?.to_owned(),
        args: args(&call["input"]),
    })
}

fn args(value: &Value) -> Result<Object, ArgumentsError> {
    Object::deserialize(value).or_else(|_| arguments::read(&value.to_string()))
}
