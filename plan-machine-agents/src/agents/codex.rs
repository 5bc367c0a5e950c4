//! Codex CLI. Its events and answers have the same shape as those of Claude Code, but Codex checks answers with a
//! strict schema: if an answer has an unknown field, Codex runs the call.

use plan_machine_kernel::json::{Json, Object};

use super::agent::{
    Agent, HookShape, HookSwitch, Installation, ServerShape, own_after, process_of,
};
use super::claude_shape::{self, CLAUDE};
use crate::ancestors::Ancestry;
use crate::answer::{AgentAnswer, HookOutput};
use crate::event::{AgentEvent, AgentEventKind, EventError, PersonProof};

pub(super) struct Codex;

const INSTALLATION: Installation = Installation {
    hooks: HookShape::Groups,
    servers: ServerShape::Toml,
    project_file: ".codex/hooks.json",
    user_file: ".codex/hooks.json",
    project_servers: ".codex/config.toml",
    user_servers: ".codex/config.toml",
    tool_events: &["PreToolUse"],
    prompt_events: &["UserPromptSubmit"],
    other_events: &["SessionStart", "PostToolUse"],
    every_tool: None,
    fail_closed: None,
    limit_units: 1,
    needs_trust: true,
    first_step: None,
    rewrites: true,
    own_files: &[],
    switches: &[HookSwitch {
        keys: &["features", "hooks"],
        off: false,
        project_files: &[".codex/config.toml"],
        user_files: &[".codex/config.toml"],
    }],
};

/// The subcommands that show the person neither blocked prompts nor messages from hooks.
const WITHOUT_TERMINAL: [&str; 9] = [
    "app-server",
    "cloud",
    "debug",
    "e",
    "exec",
    "exec-server",
    "mcp-server",
    "proto",
    "review",
];

impl Codex {
    /// Returns whether a person uses Codex's terminal interface. An argument that is the same word as a subcommand
    /// counts as the subcommand, even if it is a prompt, so that nothing counts as delivered if there is any doubt.
    fn has_terminal(&self, ancestry: &Ancestry) -> bool {
        process_of(self, ancestry).is_some_and(|codex| {
            let other = |arg: &String| WITHOUT_TERMINAL.contains(&arg.as_str());
            codex.on_terminal && !codex.args.iter().any(other)
        })
    }
}

/// Returns whether the output of a command states that the command failed. Codex 0.166 sends only what the command has
/// printed, so a failure usually looks like a success (openai/codex#34289). Some versions send what the model gets: the
/// same output after a header with the exit status. If a command prints such a header itself, the only possible effect
/// is that a plan stops.
fn states_failure(output: &str) -> bool {
    let starts = ["Chunk ID: ", "Exit code: ", "Wall time: "];
    if !starts.iter().any(|start| output.starts_with(start)) {
        return false;
    }
    let mut header = output.lines().take_while(|line| *line != "Output:");
    header.any(|line| {
        let status = line.strip_prefix("Process exited with code ");
        let status = status.or_else(|| line.strip_prefix("Exit code: "));
        status.is_some_and(|status| status != "0")
    })
}

impl Agent for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn title(&self) -> &'static str {
        "Codex"
    }

    fn read(&self, input: &Object) -> Result<AgentEvent, EventError> {
        // Prompts of subagents have an `agent_id`; messages between agents cause no event.
        let mut event = CLAUDE.read(input, |input| {
            let root = input.get("agent_type").is_none();
            Ok(if root {
                PersonProof::Proven
            } else {
                PersonProof::Unproven
            })
        })?;
        if let AgentEventKind::ToolDone { failed, .. } = &mut event.kind {
            let output = input.get("tool_response").and_then(Json::as_text);
            *failed |= output.is_some_and(states_failure);
        }
        Ok(event)
    }

    fn write(&self, event: &AgentEvent, answer: &AgentAnswer) -> HookOutput {
        claude_shape::write(event, answer)
    }

    fn proof(&self) -> Option<&'static str> {
        Some("the prompt belongs to the root thread: it has no `agent_id` and no `agent_type`")
    }

    fn shows_blocked_prompts(&self, ancestry: &Ancestry) -> bool {
        self.has_terminal(ancestry)
    }

    fn shows_messages(&self, ancestry: &Ancestry) -> bool {
        self.has_terminal(ancestry)
    }

    fn unreported(&self) -> Option<&'static str> {
        Some(
            "Codex reports neither the folder and the terminal of a command, nor what is typed into it later, nor whether it failed: after a command that fails, the next step can run.",
        )
    }

    fn own_tool<'t>(&self, tool: &'t str) -> Option<&'t str> {
        own_after(tool, "mcp__", "__")
    }

    fn programs(&self) -> &'static [&'static str] {
        &["codex", "@openai/codex"]
    }

    fn markers(&self) -> &'static [&'static str] {
        &[
            "CODEX_THREAD_ID",
            "CODEX_SANDBOX",
            "CODEX_SANDBOX_NETWORK_DISABLED",
        ]
    }

    fn installation(&self) -> &'static Installation {
        &INSTALLATION
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ancestors::Process;

    fn started(args: &[&str], on_terminal: bool) -> Ancestry {
        let process = |args: &[&str]| Process {
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            on_terminal,
            ..Process::default()
        };
        Ancestry {
            processes: vec![process(&["sh", "-c", "plan-machine hook"]), process(args)],
            variables: Vec::new(),
        }
    }

    #[test]
    fn a_card_counts_as_shown_only_in_the_terminal_interface() {
        assert!(Codex.shows_blocked_prompts(&started(&["codex"], true)));
        assert!(Codex.shows_messages(&started(&["/opt/codex", "resume", "--last"], true)));
        for ancestry in [
            started(&["codex", "exec", "go"], true),
            started(&["codex", "-c", "model=x", "e", "go"], true),
            started(&["codex", "app-server"], true),
            started(&["codex"], false),
            started(&["bash"], true),
            Ancestry::default(),
        ] {
            assert!(!Codex.shows_blocked_prompts(&ancestry), "{ancestry:?}");
        }
    }
}
