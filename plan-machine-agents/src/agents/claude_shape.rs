//! The shape of events and answers that Claude Code introduced. Other agents use it with other names for some fields
//! and events.

use std::path::PathBuf;

use plan_machine_kernel::json::{Json, Object};

use crate::answer::{AgentAnswer, HookOutput};
use crate::event::{
    AgentCall, AgentEvent, AgentEventKind, EventError, PersonProof, StartReason, arguments, id,
    optional, required,
};

/// The names of the fields and events of an agent.
#[derive(Debug)]
pub(super) struct Shape {
    /// The field with the name of the event.
    pub(super) event: &'static str,
    /// The field with the id of the conversation.
    pub(super) conversation: &'static str,
    /// The fields that may identify the turn; the first one that is present is used.
    pub(super) turn: &'static [&'static str],
    /// The field with the id of the subagent.
    pub(super) subagent: &'static str,
    /// The field with the folder in which the agent works.
    pub(super) folder: &'static str,
    /// The field with the text of a prompt.
    pub(super) prompt: &'static str,
    /// The field with the id of a call, and whether every call must have one.
    pub(super) call_id: (&'static str, bool),
    /// The name of the event before a call.
    pub(super) tool_call: &'static str,
    /// The names of the events after a call.
    pub(super) tool_done: &'static [&'static str],
    /// The name of the event that reports a prompt.
    pub(super) prompted: &'static str,
    /// The name of the event at the start of a conversation.
    pub(super) started: &'static str,
    /// The known events that need no answer.
    pub(super) others: &'static [&'static str],
}

/// The names that Claude Code uses for fields and events.
pub(super) const CLAUDE: Shape = Shape {
    event: "hook_event_name",
    conversation: "session_id",
    turn: &["prompt_id", "turn_id"],
    subagent: "agent_id",
    folder: "cwd",
    prompt: "prompt",
    call_id: ("tool_use_id", true),
    tool_call: "PreToolUse",
    tool_done: &["PostToolUse", "PostToolUseFailure"],
    prompted: "UserPromptSubmit",
    started: "SessionStart",
    others: &[
        "ConfigChange",
        "Elicitation",
        "ElicitationResult",
        "Interrupt",
        "Notification",
        "PermissionDenied",
        "PermissionRequest",
        "PostCompact",
        "PostToolBatch",
        "PreCompact",
        "SessionEnd",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "UserPromptExpansion",
    ],
};

impl Shape {
    /// Reads an event. `proof` says whether a prompt to the agent comes from a person; a prompt to a subagent never
    /// does.
    pub(super) fn read(
        &self,
        input: &Object,
        proof: impl Fn(&Object) -> Result<PersonProof, EventError>,
    ) -> Result<AgentEvent, EventError> {
        let name = required(input, self.event)?;
        let subagent = id(input, self.subagent)?;
        let kind = match name {
            _ if name == self.tool_call => AgentEventKind::ToolCall(self.call(input)?),
            _ if self.tool_done.contains(&name) => AgentEventKind::ToolDone {
                call: self.call(input)?,
                failed: name.ends_with("Failure") || reports_error(input),
            },
            _ if name == self.prompted => AgentEventKind::Prompt {
                text: required(input, self.prompt)?.to_owned(),
                // The model prompts a subagent, whatever else the event says.
                proof: match subagent {
                    Some(_) => PersonProof::Unproven,
                    None => proof(input)?,
                },
                shown: None,
            },
            _ if name == self.started => AgentEventKind::SessionStart(reason(input)?),
            _ if self.others.contains(&name) => AgentEventKind::Other,
            _ => return Err(EventError::UnknownEvent(name.chars().take(80).collect())),
        };
        let conversation =
            id(input, self.conversation)?.ok_or(EventError::Missing(self.conversation))?;
        let mut turn = None;
        for field in self.turn {
            turn = turn.or(id(input, field)?);
        }
        let folder = optional(input, self.folder)?.filter(|folder| !folder.is_empty());
        Ok(AgentEvent {
            name: name.to_owned(),
            kind,
            conversation,
            turn,
            subagent,
            folder: folder.map(PathBuf::from),
        })
    }

    fn call(&self, input: &Object) -> Result<AgentCall, EventError> {
        let (field, always) = self.call_id;
        let id = id(input, field)?;
        if always && id.is_none() {
            return Err(EventError::Missing(field));
        }
        let tool = required(input, "tool_name")?;
        if tool.is_empty() {
            return Err(EventError::Missing("tool_name"));
        }
        Ok(AgentCall {
            id,
            tool: tool.to_owned(),
            args: arguments(input, "tool_input")?,
        })
    }
}

/// Returns whether the result of a call is an error, for agents that have no separate event for errors. MCP servers mark
/// their errors with `isError`.
fn reports_error(input: &Object) -> bool {
    let response = input.get("tool_response").and_then(Json::as_object);
    response.is_some_and(|response| {
        let error = response.get("error");
        let is_error = response.get("isError").and_then(Json::as_bool);
        error.is_some_and(|error| !error.is_null()) || is_error == Some(true)
    })
}

/// Returns why a conversation starts. An unknown reason counts as a new conversation; the reason never opens the gate.
fn reason(input: &Object) -> Result<StartReason, EventError> {
    Ok(match optional(input, "source")? {
        Some("resume") => StartReason::Resumed,
        Some("compact") => StartReason::Compacted,
        _ => StartReason::New,
    })
}

/// Writes an answer in Claude Code's shape, with only the fields that the strictest agent accepts.
pub(super) fn write(event: &AgentEvent, answer: &AgentAnswer) -> HookOutput {
    match answer {
        AgentAnswer::Silence => HookOutput::silent(),
        AgentAnswer::Deny(reason) => HookOutput::denial(reason),
        AgentAnswer::Block(text) => HookOutput::block(text),
        AgentAnswer::Context(text) => HookOutput::json(context(event, text)),
        AgentAnswer::Rewrite(args) => HookOutput::json(specific(event, |object| {
            object.push("permissionDecision", "allow");
            object.push("updatedInput", args.clone());
        })),
        AgentAnswer::Show(text) => HookOutput::json(with_message(Object::new(), text)),
        AgentAnswer::ShowAgain {
            context: text,
            cards,
        } => HookOutput::json(with_message(context(event, text), cards)),
    }
}

/// Returns an answer with a text for the model.
fn context(event: &AgentEvent, text: &str) -> Object {
    specific(event, |object| object.push("additionalContext", text))
}

/// Adds a message for the person to an answer.
fn with_message(mut object: Object, text: &str) -> Object {
    object.push("systemMessage", text);
    object
}

/// Returns an answer with the part that is specific to the event.
pub(super) fn specific(event: &AgentEvent, fill: impl FnOnce(&mut Object)) -> Object {
    let mut inner = Object::new();
    inner.push("hookEventName", event.name.as_str());
    fill(&mut inner);
    let mut object = Object::new();
    object.push("hookSpecificOutput", Json::from(inner));
    object
}
