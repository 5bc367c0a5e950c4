//! Cursor. Its events have names in camel case, it has conversations and generations instead of sessions and turns, and
//! its answers have their own shape.

use std::path::PathBuf;

use plan_machine_kernel::json::{Json, Object};

use super::agent::{Agent, HookShape, Installation, ServerShape};
use super::claude_shape::{self, CLAUDE, Shape};
use crate::answer::{AgentAnswer, HookOutput};
use crate::event::{AgentEvent, EventError, PersonProof};

pub(super) struct Cursor;

const SHAPE: Shape = Shape {
    conversation: "conversation_id",
    turn: &["generation_id"],
    // According to the documentation, not every version sends the id.
    call_id: ("tool_use_id", false),
    tool_call: "preToolUse",
    tool_done: &["postToolUse", "postToolUseFailure"],
    prompted: "beforeSubmitPrompt",
    started: "sessionStart",
    others: &[
        "afterAgentResponse",
        "afterAgentThought",
        "afterFileEdit",
        "afterMCPExecution",
        "afterShellExecution",
        "preCompact",
        "sessionEnd",
        "stop",
        "subagentStart",
        "subagentStop",
    ],
    ..CLAUDE
};

const INSTALLATION: Installation = Installation {
    hooks: HookShape::Flat,
    servers: ServerShape::Json,
    project_file: ".cursor/hooks.json",
    user_file: ".cursor/hooks.json",
    project_servers: ".cursor/mcp.json",
    user_servers: ".cursor/mcp.json",
    tool_events: &["preToolUse"],
    prompt_events: &["beforeSubmitPrompt"],
    other_events: &["sessionStart", "postToolUse", "postToolUseFailure"],
    every_tool: None,
    fail_closed: Some(("failClosed", "true")),
    limit_units: 1,
    needs_trust: false,
    first_step: Some(
        "open this folder in Cursor, and switch the MCP server `plan-machine` on in its settings",
    ),
    rewrites: true,
    own_files: &[".cursor/mcp.json", "~/.cursor/mcp.json"],
    switches: &[],
};

impl Agent for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn title(&self) -> &'static str {
        "Cursor"
    }

    fn read(&self, input: &Object) -> Result<AgentEvent, EventError> {
        let mut event = SHAPE.read(input, |_| Ok(PersonProof::Unproven))?;
        if event.folder.is_none() {
            let roots = input.get("workspace_roots").and_then(Json::as_list);
            let first = roots.and_then(|roots| roots.first()?.as_text());
            event.folder = first.map(PathBuf::from);
        }
        Ok(event)
    }

    fn write(&self, event: &AgentEvent, answer: &AgentAnswer) -> HookOutput {
        let mut object = Object::new();
        match answer {
            // The call may be to another server that has a tool with the same name, so the answer does not contain
            // `allow`, and Cursor's own rules decide.
            AgentAnswer::Rewrite(args) => object.push("updated_input", args.clone()),
            AgentAnswer::Context(text) | AgentAnswer::ShowAgain { context: text, .. }
                if event.name == SHAPE.started =>
            {
                object.push("additional_context", text.as_str());
            }
            AgentAnswer::Context(_) | AgentAnswer::Show(_) | AgentAnswer::ShowAgain { .. } => {
                return HookOutput::silent();
            }
            other => return claude_shape::write(event, other),
        }
        HookOutput::json(object)
    }

    fn own_tool<'t>(&self, tool: &'t str) -> Option<&'t str> {
        // The event does not name the server, so a call is recognized only by the name of its tool.
        tool.strip_prefix("MCP:")
            .filter(|name| name.starts_with("plan_"))
    }

    fn programs(&self) -> &'static [&'static str] {
        &["cursor", "cursor-agent", "Cursor", "Cursor Helper"]
    }

    fn commands(&self) -> &'static [&'static str] {
        &["cursor-agent"]
    }

    fn markers(&self) -> &'static [&'static str] {
        &["CURSOR_AGENT"]
    }

    fn installation(&self) -> &'static Installation {
        &INSTALLATION
    }
}
