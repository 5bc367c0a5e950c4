//! The interface between the gate and an agent: its names, events, answers and configuration files.

use plan_machine_kernel::json::Object;

use crate::ancestors::{Ancestry, Process};
use crate::answer::{AgentAnswer, HookOutput};
use crate::event::{AgentEvent, EventError};

/// The name of our MCP server in every agent's configuration. Agents derive the names of its tools from this name.
pub const SERVER: &str = "plan-machine";

/// An agent: how it reports events, how it takes answers, and how the gate is installed in it. Implementations have no
/// state. The default methods assume that the agent does not prove who typed a prompt, and that the person sees neither
/// answers to blocked prompts nor messages from hooks.
#[expect(unused_variables, reason = "the defaults do not use their arguments")]
pub trait Agent: Sync {
    /// Returns the agent's name on the command line, such as `claude-code`. It is also the channel of the agent's
    /// sessions.
    fn name(&self) -> &'static str;

    /// Returns the name for people, such as `Claude Code`.
    fn title(&self) -> &'static str;

    /// Reads an event.
    ///
    /// # Errors
    ///
    /// If the event is unknown, or a field is missing or has the wrong type.
    fn read(&self, input: &Object) -> Result<AgentEvent, EventError>;

    /// Writes an answer in the agent's own shape. If the agent has no form for an answer, the output is empty; the
    /// output of a denial is never empty.
    fn write(&self, event: &AgentEvent, answer: &AgentAnswer) -> HookOutput;

    /// Returns a description of how the agent proves that a person typed a prompt; `None` if it proves nothing.
    fn proof(&self) -> Option<&'static str> {
        None
    }

    /// Returns whether the person sees the answer to a blocked prompt. A plan in the answer counts as shown only if the
    /// person sees the answer.
    fn shows_blocked_prompts(&self, ancestry: &Ancestry) -> bool {
        false
    }

    /// Returns whether the person sees a message that a hook adds after a call.
    fn shows_messages(&self, ancestry: &Ancestry) -> bool {
        false
    }

    /// Returns a sentence that says which facts about its calls the agent does not report; `None` if nothing is known
    /// to be missing. The sentence is for the card of a plan that consists of recorded calls.
    fn unreported(&self) -> Option<&'static str> {
        None
    }

    /// Returns the name of our own tool if a call is to our MCP server.
    fn own_tool<'t>(&self, tool: &'t str) -> Option<&'t str>;

    /// Returns the names of the agent's programs, and parts of the paths of its packages.
    fn programs(&self) -> &'static [&'static str];

    /// Returns the programs that no gated call may run, because they start the agent. A program that only opens an editor
    /// is left out if its name is an ordinary word, which other commands have as an argument.
    fn commands(&self) -> &'static [&'static str] {
        self.programs()
    }

    /// Returns the variables that the agent sets for the commands that it runs.
    fn markers(&self) -> &'static [&'static str];

    /// Returns the description of the agent's configuration, which the installer uses.
    fn installation(&self) -> &'static Installation;
}

/// The shape of the file with the hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookShape {
    /// `hooks.EVENT` is a list of groups, each with a list of commands.
    Groups,
    /// `hooks.EVENT` is a list of commands.
    Flat,
    /// The file is a plugin; all of it is ours.
    Plugin,
}

/// The shape of the file with the MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerShape {
    /// JSON with `mcpServers`.
    Json,
    /// JSON with `mcp`, as opencode reads it.
    OpenCode,
    /// TOML with `mcp_servers`.
    Toml,
    /// The person adds the server with the agent's own command.
    ByHand,
}

/// The description of an agent's configuration, which the installer uses.
#[derive(Debug)]
pub struct Installation {
    /// The shape of the file with the hooks.
    pub hooks: HookShape,
    /// The shape of the file with the MCP servers.
    pub servers: ServerShape,
    /// The file with the hooks in a project, relative to the project folder.
    pub project_file: &'static str,
    /// The file with the hooks of a user, relative to the home folder.
    pub user_file: &'static str,
    /// The file with the MCP servers in a project, relative to the project folder.
    pub project_servers: &'static str,
    /// The file with the MCP servers of a user, relative to the home folder.
    pub user_servers: &'static str,
    /// The events before a call. Their hook must deny if it fails.
    pub tool_events: &'static [&'static str],
    /// The events that report prompts. If the hook fails on such an event, the prompt grants nothing.
    pub prompt_events: &'static [&'static str],
    /// The other events: the start of a conversation, and the end of a call.
    pub other_events: &'static [&'static str],
    /// The pattern that matches every tool; `None` if a missing pattern matches every tool.
    pub every_tool: Option<&'static str>,
    /// The key and value of the setting that makes the agent deny a call if its hook fails; `None` if the agent has no
    /// such setting.
    pub fail_closed: Option<(&'static str, &'static str)>,
    /// How many units of the agent's time limits make one second: 1 if the limits are in seconds, 1000 if they are in
    /// milliseconds.
    pub limit_units: u32,
    /// Whether a person must trust the hooks in the agent before they run.
    pub needs_trust: bool,
    /// The step that a person must take once in the agent, in addition to the steps that the installer names for every
    /// agent; `None` if there is no such step.
    pub first_step: Option<&'static str>,
    /// Whether a hook can replace the arguments of a call. If so, the hook adds a sealed handle, which identifies the
    /// session of the call.
    pub rewrites: bool,
    /// The agent's files that only a person may change, besides those that the guard always protects.
    pub own_files: &'static [&'static str],
    /// The settings that switch all hooks off.
    pub switches: &'static [HookSwitch],
}

/// A setting that switches all hooks of an agent off.
#[derive(Debug)]
pub struct HookSwitch {
    /// The keys of the setting, from the top level of the file.
    pub keys: &'static [&'static str],
    /// The value that switches the hooks off.
    pub off: bool,
    /// The files of a project that can have the setting, relative to the project folder.
    pub project_files: &'static [&'static str],
    /// The files of a user that can have the setting, relative to the home folder.
    pub user_files: &'static [&'static str],
}

/// Returns the nearest ancestor that is this agent.
#[must_use]
pub fn process_of<'a>(agent: &dyn Agent, ancestry: &'a Ancestry) -> Option<&'a Process> {
    let mut processes = ancestry.processes.iter();
    processes.find(|process| process.runs(agent.programs()))
}

/// Returns the name of our tool from a name that consists of `before`, the server's name, `after` and the tool's name.
/// Some agents replace the dash in the server's name.
pub(super) fn own_after<'t>(tool: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let rest = tool.strip_prefix(before)?;
    let rest = rest
        .strip_prefix(SERVER)
        .or_else(|| rest.strip_prefix("plan_machine"))?;
    rest.strip_prefix(after).filter(|name| !name.is_empty())
}
