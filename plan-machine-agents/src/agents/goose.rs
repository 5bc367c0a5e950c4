//! Goose, whose hooks use the Open Plugins format. They can only observe prompts, and cannot rewrite arguments.

use plan_machine_kernel::json::Object;

use super::agent::{Agent, HookShape, Installation, ServerShape, own_after};
use super::claude_shape::{self, CLAUDE, Shape};
use crate::answer::{AgentAnswer, HookOutput};
use crate::event::{AgentEvent, EventError, PersonProof};

pub(super) struct Goose;

const SHAPE: Shape = Shape {
    event: "event",
    folder: "working_dir",
    prompt: "message",
    // Older versions do not send the id.
    call_id: ("tool_call_id", false),
    others: &[
        "AfterFileEdit",
        "AfterShellExecution",
        "BeforeReadFile",
        "BeforeShellExecution",
        "PreToolUseResult",
        "SessionEnd",
        "Stop",
    ],
    ..CLAUDE
};

const INSTALLATION: Installation = Installation {
    hooks: HookShape::Groups,
    servers: ServerShape::ByHand,
    project_file: ".agents/plugins/plan-machine/hooks/hooks.json",
    user_file: ".agents/plugins/plan-machine/hooks/hooks.json",
    project_servers: ".config/goose/config.yaml",
    user_servers: ".config/goose/config.yaml",
    tool_events: &["PreToolUse"],
    prompt_events: &["UserPromptSubmit"],
    other_events: &["SessionStart", "PostToolUse", "PostToolUseFailure"],
    every_tool: None,
    fail_closed: Some(("on_failure", "block")),
    limit_units: 1,
    needs_trust: false,
    first_step: None,
    rewrites: false,
    own_files: &[".agents/plugins/", "~/.agents/plugins/", "~/.config/goose/"],
    switches: &[],
};

impl Agent for Goose {
    fn name(&self) -> &'static str {
        "goose"
    }

    fn title(&self) -> &'static str {
        "Goose"
    }

    fn read(&self, input: &Object) -> Result<AgentEvent, EventError> {
        SHAPE.read(input, |_| Ok(PersonProof::Unproven))
    }

    fn write(&self, event: &AgentEvent, answer: &AgentAnswer) -> HookOutput {
        match answer {
            // Goose has no form for these answers, and treats text that it does not expect as a failed hook.
            AgentAnswer::Context(_)
            | AgentAnswer::Show(_)
            | AgentAnswer::ShowAgain { .. }
            | AgentAnswer::Rewrite(_) => HookOutput::silent(),
            other => claude_shape::write(event, other),
        }
    }

    fn own_tool<'t>(&self, tool: &'t str) -> Option<&'t str> {
        own_after(tool, "", "__")
    }

    fn programs(&self) -> &'static [&'static str] {
        &["goose", "goosed"]
    }

    fn markers(&self) -> &'static [&'static str] {
        &["GOOSE_TERMINAL", "AGENT_SESSION_ID"]
    }

    fn installation(&self) -> &'static Installation {
        &INSTALLATION
    }
}
