//! What the gate has to know about an agent.

use plan_machine_kernel::json::Object;

use crate::ancestors::{Ancestry, Process};
use crate::answer::{AgentAnswer, HookOutput};
use crate::event::{AgentEvent, EventError};

/// The name of our MCP server in every agent's configuration. Agents make the names of its tools from it.
pub const SERVER: &str = "plan-machine";

/// One agent: how it reports events, how it takes answers, and how it is installed. Agents have no state.
pub trait Agent: Sync {
    /// Returns the name on the command line, such as `claude-code`. It is also the channel of its sessions.
    fn name(&self) -> &'static str;

    /// Returns the name for people, such as `Claude Code`.
    fn title(&self) -> &'static str;

    /// Reads an event.
    ///
    /// # Errors
    ///
    /// If the event is unknown, or something is missing in it.
    fn read(&self, input: &Object) -> Result<AgentEvent, EventError>;

    /// Writes an answer in the agent's own shape. An answer that the agent has no form for is silence, except that
    /// nothing that must not run ever becomes silence.
    fn write(&self, event: &AgentEvent, answer: &AgentAnswer) -> HookOutput;

    /// Returns, for people, how the agent proves that a person typed a prompt; `None` if it does not.
    fn proof(&self) -> Option<&'static str>;

    /// Returns whether the person sees the answer to a blocked prompt. Only then does a card in it count as delivered.
    fn shows_blocked_prompts(&self, ancestry: &Ancestry) -> bool;

    /// Returns whether the person sees a message that a hook adds after a call.
    fn shows_messages(&self, ancestry: &Ancestry) -> bool;

    /// Returns the name of the machine's tool if a call is to our own MCP server.
    fn own_tool<'t>(&self, tool: &'t str) -> Option<&'t str>;

    /// Returns the programs that the agent consists of, and parts of the paths of its packages.
    fn programs(&self) -> &'static [&'static str];

    /// Returns the variables that the agent sets for the commands that it runs.
    fn markers(&self) -> &'static [&'static str];

    /// Returns what an installer has to know.
    fn installation(&self) -> &'static Installation;
}

/// What an installer has to know about an agent.
#[derive(Debug)]
pub struct Installation {
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
    /// The events of prompts. If their hook fails, the prompt goes through and grants nothing.
    pub prompt_events: &'static [&'static str],
    /// The events that only inform: the start of a conversation, and the end of a call.
    pub other_events: &'static [&'static str],
    /// The pattern that matches every tool; `None` if a missing pattern matches every tool.
    pub every_tool: Option<&'static str>,
    /// The key and value that make a failing hook deny the call, if the agent has such a switch.
    pub fail_closed: Option<(&'static str, &'static str)>,
    /// How many units of the agent's time limit a second has: 1, or 1000 for milliseconds.
    pub limit_units: u32,
    /// Whether a person must accept the hooks in the agent before they run.
    pub needs_trust: bool,
    /// Whether the arguments of a call can be replaced, so that session handles are sealed.
    pub rewrites: bool,
    /// The agent's files that only a person may change, besides those that the guard always protects.
    pub own_files: &'static [&'static str],
}

/// Returns the innermost ancestor that is this agent.
#[must_use]
pub fn process_of<'a>(agent: &dyn Agent, ancestry: &'a Ancestry) -> Option<&'a Process> {
    let mut processes = ancestry.processes.iter();
    processes.find(|process| process.runs(agent.programs()))
}

/// Returns the name of our tool in a name that begins with the server's name between these marks. Some agents replace
/// the dash in the server's name.
pub(super) fn own_after<'t>(tool: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let rest = tool.strip_prefix(before)?;
    let rest = rest
        .strip_prefix(SERVER)
        .or_else(|| rest.strip_prefix("plan_machine"))?;
    rest.strip_prefix(after).filter(|name| !name.is_empty())
}
