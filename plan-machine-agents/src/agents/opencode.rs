//! opencode. Our plugin calls the hook, so we define the shape of events and answers:
//!
//! - events are those of Claude Code; `session_id` is the root session, and `agent_id` is the session of a subagent;
//! - a prompt has `parent_id`, which is null in a root session, and `shown`: whether the plugin can show a text to the
//!   person (`opencode run` cannot);
//! - the result of a command has `exit` in `tool_response`: its exit status, or null if it has none because it was
//!   killed;
//! - an answer is `{"args":{…}}`, `{"context":"…"}` or `{"message":"…"}`; if the hook denies a call, or does not
//!   answer, the plugin throws an error with the reason.

use plan_machine_kernel::json::{Json, Object};

use super::agent::{Agent, HookShape, Installation, ServerShape, own_after};
use super::claude_shape::{self, CLAUDE};
use crate::answer::{AgentAnswer, HookOutput};
use crate::event::{AgentEvent, AgentEventKind, EventError, PersonProof};

pub(super) struct OpenCode;

const INSTALLATION: Installation = Installation {
    hooks: HookShape::Plugin,
    servers: ServerShape::OpenCode,
    project_file: ".opencode/plugins/plan-machine.js",
    user_file: ".config/opencode/plugins/plan-machine.js",
    project_servers: "opencode.json",
    user_servers: ".config/opencode/opencode.json",
    tool_events: &["tool.execute.before"],
    prompt_events: &["chat.message"],
    other_events: &["tool.execute.after"],
    every_tool: None,
    fail_closed: None,
    limit_units: 1000,
    needs_trust: false,
    first_step: None,
    rewrites: true,
    own_files: &[],
    switches: &[],
};

impl Agent for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn title(&self) -> &'static str {
        "opencode"
    }

    fn read(&self, input: &Object) -> Result<AgentEvent, EventError> {
        let mut event = CLAUDE.read(input, |input| {
            // The plugin must state that there is no parent: a missing field does not count as proof.
            Ok(match input.get("parent_id") {
                Some(Json::Null) => PersonProof::Proven,
                _ => PersonProof::Unproven,
            })
        })?;
        match &mut event.kind {
            AgentEventKind::Prompt { shown, .. } => {
                *shown = Some(input.get("shown").and_then(Json::as_bool) == Some(true));
            }
            AgentEventKind::ToolDone { failed, .. } => {
                let result = input.get("tool_response").and_then(Json::as_object);
                let exit = result.and_then(|result| result.get("exit"));
                *failed |= exit.is_some_and(|exit| exit.as_int() != Some(0));
            }
            _ => {}
        }
        Ok(event)
    }

    fn write(&self, event: &AgentEvent, answer: &AgentAnswer) -> HookOutput {
        let mut object = Object::new();
        match answer {
            AgentAnswer::Rewrite(args) => object.push("args", args.clone()),
            AgentAnswer::Context(text) => object.push("context", text.as_str()),
            AgentAnswer::Show(text) => object.push("message", text.as_str()),
            AgentAnswer::ShowAgain { context, cards } => {
                object.push("context", context.as_str());
                object.push("message", cards.as_str());
            }
            other => return claude_shape::write(event, other),
        }
        HookOutput::json(object)
    }

    fn proof(&self) -> Option<&'static str> {
        Some("the message belongs to a session without a parent")
    }

    fn own_tool<'t>(&self, tool: &'t str) -> Option<&'t str> {
        own_after(tool, "", "_")
    }

    fn programs(&self) -> &'static [&'static str] {
        &["opencode", "opencode-ai"]
    }

    fn markers(&self) -> &'static [&'static str] {
        &["OPENCODE", "OPENCODE_PID"]
    }

    fn installation(&self) -> &'static Installation {
        &INSTALLATION
    }
}
