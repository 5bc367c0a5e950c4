//! Requests and answers, from the bot's types to the client's and back.

use genai::Error;
use genai::chat::{
    ChatMessage, ChatRequest, ChatResponse, ChatRole, ContentPart, MessageContent, Tool, ToolCall,
    ToolResponse,
};
use plan_machine::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault::Fault;
use crate::model::{self, Call, Message, ModelError, Request, Response, arguments};

pub(super) fn request(request: &Request) -> ChatRequest {
    let system = Some(request.system.clone());
    let tools: Vec<Tool> = request.tools.iter().map(tool).collect();
    ChatRequest {
        system: system.filter(|text| !text.is_empty()),
        tools: Some(tools).filter(|tools| !tools.is_empty()),
        ..ChatRequest::new(messages(&request.messages))
    }
}

fn messages(messages: &[Message]) -> Vec<ChatMessage> {
    let mut chat: Vec<ChatMessage> = Vec::new();
    for message in messages {
        match message {
            Message::User(text) => chat.push(ChatMessage::user(text)),
            // An API refuses a message without content; a model that said nothing needs none.
            Message::Model(Response { text, calls }) if text.is_empty() && calls.is_empty() => {}
            Message::Model(Response { text, calls }) => {
                let text = Some(text).filter(|text| !text.is_empty());
                let text = text.map(ContentPart::from_text);
                let parts = text.into_iter().chain(calls.iter().map(call));
                chat.push(ChatMessage::assistant(parts.collect::<MessageContent>()));
            }
            Message::Result {
                call_id,
                tool,
                content,
            } => {
                let result = ToolResponse::new(call_id, content).with_fn_name(tool);
                // The results of one response go into one message: the `anthropic` shape wants them
                // together, for the other the client takes them apart.
                match chat.last_mut() {
                    Some(last) if last.role == ChatRole::Tool => last.content.push(result),
                    _ => chat.push(ChatMessage::from(result)),
                }
            }
        }
    }
    chat
}

/// A call that was made. Malformed arguments cannot be sent again; the result says what they were.
fn call(call: &Call) -> ContentPart {
    let args = call.args.clone().unwrap_or_default();
    ContentPart::ToolCall(ToolCall {
        call_id: call.id.clone(),
        fn_name: call.tool.clone(),
        fn_arguments: value(&args),
        thought_signatures: None,
    })
}

fn tool(tool: &model::Tool) -> Tool {
    Tool::new(tool.name.as_str())
        .with_description(tool.description.as_str())
        .with_schema(value(&tool.schema))
}

/// JSON of one kind as JSON of the other. Both can say the same, so nothing fails.
fn value(json: &impl Serialize) -> Value {
    serde_json::to_value(json).unwrap_or_default()
}

/// An answer of the client.
pub(super) fn response(answer: ChatResponse) -> Result<Response, Fault> {
    let text = answer.texts().join("\n\n");
    let calls: Vec<Call> = answer.tool_calls().into_iter().map(called).collect();
    if text.is_empty() && calls.is_empty() && answer.stop_reason.is_none() {
        let body = answer.captured_raw_body.unwrap_or_default();
        let why = format!("there is no message in {body}");
        return Err((ModelError::Garbled, why));
    }
    Ok(Response { text, calls })
}

fn called(call: &ToolCall) -> Call {
    Call {
        id: call.call_id.clone(),
        tool: call.fn_name.clone(),
        args: args(&call.fn_arguments),
    }
}

fn args(value: &Value) -> Result<Object, String> {
    Object::deserialize(value).or_else(|_| arguments::read(&value.to_string()))
}

/// Reads an answer that the client gave up on: it does where one call of the `openai` shape has
/// malformed arguments, but the words and the other calls are as good as ever, and the model can be told.
pub(super) fn reread(error: &Error) -> Option<Response> {
    let Error::ChatResponseGeneration { response_body, .. } = error else {
        return None;
    };
    let message = &response_body["choices"][0]["message"];
    let calls = message["tool_calls"].as_array()?.iter().map(raw_call);
    let text = message["content"].as_str().unwrap_or_default();
    Some(Response {
        text: text.trim().to_owned(),
        calls: calls.collect::<Option<_>>()?,
    })
}

fn raw_call(call: &Value) -> Option<Call> {
    let function = &call["function"];
    Some(Call {
        id: call["id"].as_str()?.to_owned(),
        tool: function["name"].as_str()?.to_owned(),
        args: match &function["arguments"] {
            Value::String(text) => arguments::read(text),
            other => args(other),
        },
    })
}
