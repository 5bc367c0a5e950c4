//! An event of an agent, in the same form for every agent.

use std::path::PathBuf;

use plan_machine_kernel::json::{Json, Object};
use thiserror::Error;

/// The conversation of the doctor's own events. They leave no heartbeat, because a heartbeat shows that the agent
/// itself runs the hook.
pub(crate) const DOCTOR: &str = "plan-machine-doctor";

/// The maximum size of an event, in bytes. A gate refuses arguments of more than 4 MiB; an event also contains texts
/// that the hook does not need, such as the result of a call.
pub const MAX_EVENT_BYTES: usize = 16 << 20;

/// The maximum length of an id that an agent sends, in bytes.
const MAX_ID_BYTES: usize = 1024;

/// An event that an agent reports to its hook.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentEvent {
    /// The name of the event, as the agent calls it.
    pub name: String,
    /// The kind of the event, with its content.
    pub kind: AgentEventKind,
    /// The conversation, which has one session. Subagents belong to the conversation that started them.
    pub conversation: String,
    /// The id of the person's prompt that led to this event, if the agent states it.
    pub turn: Option<String>,
    /// The subagent that the event comes from; `None` for the agent itself.
    pub subagent: Option<String>,
    /// The folder in which the agent works; `None` if the event does not state it.
    pub folder: Option<PathBuf>,
}

/// The kind of an event, with its content.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentEventKind {
    /// The model wants to call a tool.
    ToolCall(AgentCall),
    /// A call has run, with or without success.
    ToolDone {
        /// The call that has run.
        call: AgentCall,
        /// Whether the agent reports that the call failed.
        failed: bool,
    },
    /// A prompt was submitted.
    Prompt {
        /// The text of the prompt.
        text: String,
        /// Whether it is proved that a person typed the prompt.
        proof: PersonProof,
        /// Whether the agent shows the person the answer to a blocked prompt; `None` if the event does not say.
        shown: Option<bool>,
    },
    /// A conversation was started, resumed or compacted.
    SessionStart(StartReason),
    /// An event that needs no answer.
    Other,
}

/// The reason why a conversation starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartReason {
    /// The conversation is new.
    New,
    /// The conversation continues after a break.
    Resumed,
    /// The history of the conversation was compacted.
    Compacted,
}

/// A call to a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentCall {
    /// The id of the call. It is unique only within a turn of the agent or of a subagent.
    pub id: Option<String>,
    /// The name of the tool.
    pub tool: String,
    /// The arguments of the call.
    pub args: Object,
}

/// Whether a person typed a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PersonProof {
    /// The agent states it in a way that a model cannot imitate.
    Proven,
    /// The prompt may come from a model, a subagent or a schedule, so it is never a command.
    Unproven,
}

/// Why an event could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EventError {
    /// The event is too large.
    #[error("the event has more than {MAX_EVENT_BYTES} bytes")]
    TooLarge,
    /// The event could not be read from standard input.
    #[error("the event could not be read: {0}")]
    Unread(String),
    /// The event is not UTF-8.
    #[error("the event is not valid UTF-8")]
    NotUtf8,
    /// The event is not JSON.
    #[error("the event is not JSON: {0}")]
    NotJson(String),
    /// The event is JSON, but not an object.
    #[error("the event is not a JSON object")]
    NotAnObject,
    /// A field has the wrong type.
    #[error("expected {expected} in `{field}` of the event")]
    Unexpected {
        /// The name of the field.
        field: &'static str,
        /// A description of the expected type.
        expected: &'static str,
    },
    /// A field is missing.
    #[error("the event has no `{0}`")]
    Missing(&'static str),
    /// An id is too long.
    #[error("`{0}` of the event has more than {MAX_ID_BYTES} bytes")]
    LongId(&'static str),
    /// The event has an unknown name.
    #[error("unknown event `{0}`")]
    UnknownEvent(String),
}

/// Parses the JSON object that an agent sent.
///
/// # Errors
///
/// If there are more than [`MAX_EVENT_BYTES`] bytes, or if they are not exactly one JSON object.
pub fn parse(bytes: &[u8]) -> Result<Object, EventError> {
    if bytes.len() > MAX_EVENT_BYTES {
        return Err(EventError::TooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| EventError::NotUtf8)?;
    match Json::parse(text) {
        Ok(Json::Object(object)) => Ok(object),
        Ok(_) => Err(EventError::NotAnObject),
        Err(error) => Err(EventError::NotJson(error.to_string())),
    }
}

/// Returns a string that may be missing. `null` counts as missing.
pub(crate) fn optional<'o>(
    object: &'o Object,
    field: &'static str,
) -> Result<Option<&'o str>, EventError> {
    match object.get(field) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Text(text)) => Ok(Some(text)),
        Some(_) => Err(EventError::Unexpected {
            field,
            expected: "a string",
        }),
    }
}

/// Returns an id that may be missing. An empty id counts as missing.
pub(crate) fn id(object: &Object, field: &'static str) -> Result<Option<String>, EventError> {
    let found = optional(object, field)?.filter(|id| !id.is_empty());
    match found {
        Some(id) if id.len() > MAX_ID_BYTES => Err(EventError::LongId(field)),
        found => Ok(found.map(str::to_owned)),
    }
}

/// Returns a string that must be present.
pub(crate) fn required<'o>(object: &'o Object, field: &'static str) -> Result<&'o str, EventError> {
    optional(object, field)?.ok_or(EventError::Missing(field))
}

/// Returns the arguments of a call. Missing arguments are an empty object.
pub(crate) fn arguments(object: &Object, field: &'static str) -> Result<Object, EventError> {
    match object.get(field) {
        None | Some(Json::Null) => Ok(Object::new()),
        Some(Json::Object(args)) => Ok(args.clone()),
        Some(_) => Err(EventError::Unexpected {
            field,
            expected: "an object",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_one_object_is_no_event() {
        let cases: [(&[u8], &str); 6] = [
            (b"", "the event is not JSON"),
            (b"[]", "the event is not a JSON object"),
            (b"{\"a\":1} {}", "the event is not JSON"),
            (b"{\"a\":\"\xff\"}", "not valid UTF-8"),
            (b"{\"a\":1,\"a\":2}", "the event is not JSON"),
            (b"{\"tool_name\":", "the event is not JSON"),
        ];
        for (bytes, expected) in cases {
            let error = parse(bytes).expect_err("no event").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn a_large_event_is_read_up_to_the_limit() {
        let mut text = format!("{{\"a\":\"{}\"}}", "x".repeat(1 << 20));
        assert!(parse(text.as_bytes()).is_ok());
        text.push_str(&" ".repeat(MAX_EVENT_BYTES));
        assert_eq!(parse(text.as_bytes()), Err(EventError::TooLarge));
    }
}
