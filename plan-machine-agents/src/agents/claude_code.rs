//! Claude Code. A prompt states its source, and only a prompt that a person typed has the source `user`.

use plan_machine_kernel::json::Object;

use super::agent::{Agent, HookShape, HookSwitch, Installation, ServerShape, own_after};
use super::claude_shape::{self, CLAUDE};
use crate::ancestors::Ancestry;
use crate::answer::{AgentAnswer, HookOutput};
use crate::event::{AgentEvent, EventError, PersonProof, optional};

pub(super) struct ClaudeCode;

const INSTALLATION: Installation = Installation {
    hooks: HookShape::Groups,
    servers: ServerShape::Json,
    project_file: ".claude/settings.json",
    user_file: ".claude/settings.json",
    project_servers: ".mcp.json",
    user_servers: ".claude.json",
    tool_events: &["PreToolUse"],
    prompt_events: &["UserPromptSubmit"],
    other_events: &["SessionStart", "PostToolUse", "PostToolUseFailure"],
    every_tool: Some("*"),
    fail_closed: Some(("onFailure", "block")),
    limit_units: 1,
    needs_trust: false,
    first_step: Some(
        "start Claude Code in this folder, and allow the MCP server `plan-machine` when Claude Code asks",
    ),
    rewrites: true,
    own_files: &[
        ".mcp.json",
        ".claude/plugins/",
        "~/.claude.json",
        "~/.claude/plugins/",
    ],
    switches: &[HookSwitch {
        keys: &["disableAllHooks"],
        off: true,
        project_files: &[".claude/settings.json", ".claude/settings.local.json"],
        user_files: &[".claude/settings.json"],
    }],
};

impl Agent for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn read(&self, input: &Object) -> Result<AgentEvent, EventError> {
        CLAUDE.read(input, |input| {
            // A missing source does not count as a person.
            Ok(match optional(input, "source")? {
                Some("user") => PersonProof::Proven,
                _ => PersonProof::Unproven,
            })
        })
    }

    fn write(&self, event: &AgentEvent, answer: &AgentAnswer) -> HookOutput {
        claude_shape::write(event, answer)
    }

    fn proof(&self) -> Option<&'static str> {
        Some("the prompt has `source: user` and does not come from a subagent")
    }

    fn shows_blocked_prompts(&self, _: &Ancestry) -> bool {
        true
    }

    fn shows_messages(&self, _: &Ancestry) -> bool {
        true
    }

    fn own_tool<'t>(&self, tool: &'t str) -> Option<&'t str> {
        own_after(tool, "mcp__", "__")
    }

    fn programs(&self) -> &'static [&'static str] {
        &["claude", "@anthropic-ai/claude-code"]
    }

    fn markers(&self) -> &'static [&'static str] {
        &["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"]
    }

    fn installation(&self) -> &'static Installation {
        &INSTALLATION
    }
}
