//! Gemini CLI. It uses the shape of Claude Code with other names for the events, and merges rewritten arguments into
//! the original ones. Its prompts do not say who typed them.

use plan_machine_kernel::json::{Json, Object};

use super::agent::{Agent, HookShape, HookSwitch, Installation, ServerShape, own_after};
use super::claude_shape::{self, CLAUDE, Shape, specific};
use crate::ancestors::Ancestry;
use crate::answer::{AgentAnswer, HookOutput};
use crate::event::{AgentEvent, EventError, PersonProof};

pub(super) struct Gemini;

const SHAPE: Shape = Shape {
    // The published types of Gemini CLI's events have no id for a call.
    call_id: ("tool_use_id", false),
    tool_call: "BeforeTool",
    tool_done: &["AfterTool"],
    prompted: "BeforeAgent",
    others: &[
        "AfterAgent",
        "AfterModel",
        "BeforeModel",
        "BeforeToolSelection",
        "Notification",
        "PreCompress",
        "SessionEnd",
    ],
    ..CLAUDE
};

const INSTALLATION: Installation = Installation {
    hooks: HookShape::Groups,
    servers: ServerShape::Json,
    project_file: ".gemini/settings.json",
    user_file: ".gemini/settings.json",
    project_servers: ".gemini/settings.json",
    user_servers: ".gemini/settings.json",
    tool_events: &["BeforeTool"],
    prompt_events: &["BeforeAgent"],
    other_events: &["SessionStart", "AfterTool"],
    every_tool: Some(".*"),
    fail_closed: None,
    limit_units: 1000,
    needs_trust: false,
    first_step: Some(
        "start Gemini CLI in this folder, and trust the folder when Gemini CLI asks: until then, its hooks do not run, and nothing is gated",
    ),
    rewrites: true,
    own_files: &[".gemini/extensions/", "~/.gemini/extensions/"],
    switches: &[HookSwitch {
        keys: &["hooksConfig", "enabled"],
        off: false,
        project_files: &[".gemini/settings.json"],
        user_files: &[".gemini/settings.json"],
    }],
};

impl Agent for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn read(&self, input: &Object) -> Result<AgentEvent, EventError> {
        SHAPE.read(input, |_| Ok(PersonProof::Unproven))
    }

    fn write(&self, event: &AgentEvent, answer: &AgentAnswer) -> HookOutput {
        match answer {
            AgentAnswer::Rewrite(args) => HookOutput::json(specific(event, |object| {
                object.push("tool_input", Json::from(args.clone()));
            })),
            other => claude_shape::write(event, other),
        }
    }

    fn shows_messages(&self, _: &Ancestry) -> bool {
        true
    }

    fn unreported(&self) -> Option<&'static str> {
        Some(
            "Gemini CLI does not report that a command failed: after a command that fails, the next step can run.",
        )
    }

    fn own_tool<'t>(&self, tool: &'t str) -> Option<&'t str> {
        own_after(tool, "mcp__", "__").or_else(|| own_after(tool, "mcp_", "_"))
    }

    fn programs(&self) -> &'static [&'static str] {
        &["gemini", "@google/gemini-cli"]
    }

    fn markers(&self) -> &'static [&'static str] {
        &["GEMINI_CLI"]
    }

    fn installation(&self) -> &'static Installation {
        &INSTALLATION
    }
}
