//! Requests and answers, from the bot's types to the client's and back.

use genai::Error;
use genai::chat::{
    ChatMessage, ChatRequest, ChatResponse, ContentPart, MessageContent, Tool, ToolCall,
    ToolResponse,
};
use plan_machine::Object;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault::Fault;
use crate::model::{self, Call, Message, ModelError, Request, Response, arguments};

pub(super) fn request(request: &Request) -> ChatRequest {
    let mut chat = ChatRequest::new(messages(&request.messages));
    if !request.system.is_empty() {
        chat = chat.with_system(request.system.as_str());
    }
    if !request.tools.is_empty() {
        chat = chat.with_tools(request.tools.iter().map(tool).collect::<Vec<_>>());
    }
    chat
}

fn messages(messages: &[Message]) -> Vec<ChatMessage> {
    // The results of one response go into one message: the `anthropic` shape wants them together,
    // for the other the client takes them apart.
    let together = |one: &Message, other: &Message| {
        matches!(
            (one, other),
            (Message::Result { .. }, Message::Result { .. })
        )
    };
    messages.chunk_by(together).filter_map(message).collect()
}

/// A message, or the results that stand together.
fn message(messages: &[Message]) -> Option<ChatMessage> {
    match messages.first()? {
        Message::User(text) => Some(ChatMessage::user(text.as_str())),
        Message::Model(response) => {
            let text = Some(&response.text).filter(|text| !text.is_empty());
            let text = text.map(|text| ContentPart::from_text(text.as_str()));
            let calls = response.calls.iter().map(call);
            let parts: Vec<ContentPart> = text.into_iter().chain(calls).collect();
            // An API refuses a message without content; a model that said nothing needs none.
            (!parts.is_empty()).then(|| ChatMessage::assistant(MessageContent::from_parts(parts)))
        }
        Message::Result { .. } => {
            let results = messages.iter().filter_map(result).collect();
            Some(ChatMessage::tool(MessageContent::from_tool_responses(
                results,
            )))
        }
    }
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

fn result(message: &Message) -> Option<ToolResponse> {
    match message {
        Message::Result {
            call_id,
            tool,
            content,
        } => Some(ToolResponse::new(call_id.as_str(), content.as_str()).with_fn_name(tool)),
        _ => None,
    }
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
