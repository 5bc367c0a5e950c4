//! Finds the session that a call belongs to, and who makes the call.

use plan_machine_kernel::digest::hex;
use plan_machine_kernel::json::Object;
use plan_machine_kernel::visible::visible;
use plan_machine_sessions::SessionIdentity;
use rmcp::model::MetaObject;
use serde_json::Value;

use crate::agents::{self, AGENTS, Agent};
use crate::ancestors::Ancestry;
use crate::keeper::{GateError, HANDLE, HandleKey, SessionHandle, identity};

/// The variable with which Claude Code names the conversation to its MCP servers.
const CLAUDE: &str = "CLAUDE_CODE_SESSION_ID";

/// The key in a request's metadata under which Goose names the conversation. The model does not write the metadata.
const GOOSE: &str = "agent-session-id";

/// The channel of sessions that this server starts.
const OWN: &str = "mcp";

/// The session of a call, and the text of its handle if the handle was created for this call. The answer must then
/// contain the handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Caller {
    pub(super) handle: SessionHandle,
    pub(super) minted: Option<String>,
}

/// Finds the session of each call.
pub(super) struct Callers {
    key: HandleKey,
    /// The session that a person has named on the command line.
    fixed: Option<SessionIdentity>,
    /// The conversation that the environment names.
    conversation: Option<SessionIdentity>,
    /// The nearest agent above the server.
    agent: Option<&'static dyn Agent>,
}

impl Callers {
    pub(super) fn new(
        key: HandleKey,
        fixed: Option<SessionIdentity>,
        ancestry: &Ancestry,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, GateError> {
        let agent = innermost(ancestry);
        // Variables are inherited: another agent that Claude Code has started also has this variable.
        let is_claude = match agent {
            Some(agent) => agent.name() == "claude-code",
            None => ancestry.processes.is_empty(),
        };
        let conversation = variable(CLAUDE).filter(|id| is_claude && !id.is_empty());
        let conversation = conversation.map(|id| identity("claude-code", &id));
        Ok(Self {
            key,
            fixed,
            conversation: conversation.transpose()?,
            agent,
        })
    }

    /// Returns the session of a call, and removes the handle from its arguments.
    ///
    /// # Errors
    ///
    /// If the handle was not sealed with our key, or if there is no handle and the session is not known otherwise.
    pub(super) fn of(
        &self,
        args: &mut Object,
        meta: &MetaObject,
        client: &str,
        may_mint: bool,
    ) -> Result<Caller, GateError> {
        let told = meta.get(GOOSE).and_then(Value::as_str);
        let told = told.filter(|id| !id.is_empty());
        let told = told.map(|id| identity("goose", id)).transpose()?;
        if let Some(handle) = args.remove(HANDLE).filter(|handle| !handle.is_null()) {
            let text = handle.as_text().ok_or(GateError::Handle)?;
            return self.passed(text, told.as_ref());
        }
        if let Some(session) = &self.fixed {
            return Ok(known(unsealed(session.clone(), &actor(client))));
        }
        if let Some(session) = told {
            return Ok(known(unsealed(session, "goose")));
        }
        if let Some(session) = &self.conversation {
            return Ok(known(unsealed(session.clone(), "claude-code")));
        }
        if let Some(agent) = self.agent {
            return Err(GateError::Request(unknown(agent)));
        }
        if !may_mint {
            return Err(GateError::Request(format!(
                "this call has no session handle; call `plan_status` first, and pass its handle as `{HANDLE}`"
            )));
        }
        self.mint(client)
    }

    /// Opens a handle, which determines the session of a call. A handle that the hook has sealed for the call is
    /// accepted without a further check. Any other handle must belong to the conversation that the agent names, if it
    /// names one.
    fn passed(&self, text: &str, told: Option<&SessionIdentity>) -> Result<Caller, GateError> {
        let handle = self.key.open(text)?;
        let is_other = told.is_some_and(|told| *told != handle.session);
        if handle.call_id.is_none() && is_other {
            return Err(GateError::Handle);
        }
        Ok(known(handle))
    }

    /// Begins a session for a client that is not a known agent, and returns its handle.
    fn mint(&self, client: &str) -> Result<Caller, GateError> {
        let mut random = [0; 12];
        getrandom::fill(&mut random).map_err(|error| GateError::Start(error.to_string()))?;
        let session = identity(OWN, &hex(&random))?;
        let handle = unsealed(session, &actor(client));
        let minted = self.key.seal(&handle);
        Ok(Caller {
            handle,
            minted: Some(minted),
        })
    }
}

/// Returns why the session of an agent's call is not known, and what to do next. Only a hook that rewrites calls adds
/// handles.
fn unknown(agent: &dyn Agent) -> String {
    let title = agent.title();
    if agent.installation().rewrites {
        return format!(
            "this call has no session handle, because {title}'s hook has not run; ask the user to run `plan-machine doctor` in a terminal"
        );
    }
    format!(
        "{title} did not say which conversation this call belongs to, and the plan tools do not work without that; ask the user to install a version of {title} that sends `{GOOSE}` with each call"
    )
}

fn known(handle: SessionHandle) -> Caller {
    Caller {
        handle,
        minted: None,
    }
}

fn unsealed(session: SessionIdentity, actor: &str) -> SessionHandle {
    SessionHandle {
        session,
        call_id: None,
        actor: actor.to_owned(),
    }
}

/// Returns the name of a client that is not a known agent.
fn actor(client: &str) -> String {
    let short: String = client.chars().take(200).collect();
    format!("{OWN}/{}", visible(&short))
}

/// Returns the nearest agent above this process.
fn innermost(ancestry: &Ancestry) -> Option<&'static dyn Agent> {
    let mut processes = ancestry.processes.iter();
    processes.find_map(|process| {
        let mut agents = AGENTS.into_iter();
        agents.find(|agent| process.runs(agent.programs()))
    })
}

/// Returns why this process counts as a command that an agent runs, and not as the agent's MCP server. The parent of an
/// MCP server is the agent itself; the parent of a command is a shell or a script. A shell can replace itself with the
/// command, so this check is only as strong as the rules for shell commands.
pub(super) fn run_as_command(ancestry: &Ancestry) -> Option<String> {
    let is_agent = |agent: &&dyn Agent| {
        let parent = ancestry.processes.first();
        parent.is_some_and(|parent| parent.runs(agent.programs()))
    };
    if AGENTS.iter().any(is_agent) {
        return None;
    }
    agents::run_by(ancestry)
}

#[cfg(test)]
#[path = "caller_tests.rs"]
pub(super) mod tests;
