//! Decides about a call before it runs.

use plan_machine::gate::{Decision, EarlierDecision, EventContext, ToolCall};
use plan_machine_compiler::model::machine::EventKind;
use plan_machine_kernel::json::Json;

use super::error::GateError;
use super::handle::{HANDLE, HandleKey, SessionHandle};
use super::names::{actor, call_id, identity};
use super::open::{HookReply, Keeper};
use super::own::{STATUS, WAIT};
use super::terminals;
use crate::agents::Agent;
use crate::answer::AgentAnswer;
use crate::event::{AgentCall, AgentEvent};

impl Keeper {
    /// Decides whether a call by an agent or one of its subagents may run, in the session of the conversation.
    ///
    /// # Errors
    ///
    /// If the session cannot answer; the caller then denies the call.
    pub async fn call(
        &self,
        agent: &dyn Agent,
        event: &AgentEvent,
        call: &AgentCall,
    ) -> Result<HookReply, GateError> {
        let session = self.session_of(agent, event)?;
        let around = EventContext::now().by(actor(agent.name(), event));
        self.ensure_turn(&session, &around).await?;
        if let Some(tool) = agent.own_tool(&call.tool) {
            return Ok(self.own(agent, event, call, tool)?.into());
        }
        if self.is_own(&call.tool) {
            let tool = &call.tool;
            let reason = format!(
                "`{tool}` is a tool of plan-machine's MCP server; another tool with this name cannot run"
            );
            return Ok(AgentAnswer::Deny(reason).into());
        }
        let args = terminals::plain(&call.args, self.command_of(&call.tool));
        let mut decided = ToolCall::new(call.tool.as_str(), args);
        if let Some(id) = &call.id {
            decided = decided.once(call_id(event, id));
        }
        let done = session.decide(&[decided], &around).await?;
        let decision = done.answer.into_iter().next();
        let answer = decision.map_or_else(closed, answer);
        Ok(match answer {
            AgentAnswer::Deny(reason) => {
                AgentAnswer::Deny(self.with_usable_commands(session.identity(), reason))
            }
            other => other,
        }
        .into())
    }

    /// Answers a call to our own MCP server. The server decides about the call; the hook only denies unknown tools, and
    /// seals the session of the call into its arguments.
    fn own(
        &self,
        agent: &dyn Agent,
        event: &AgentEvent,
        call: &AgentCall,
        tool: &str,
    ) -> Result<AgentAnswer, GateError> {
        if !self.is_own(tool) {
            return Ok(AgentAnswer::Deny(format!(
                "plan-machine has no tool `{tool}`"
            )));
        }
        if !agent.installation().rewrites {
            return Ok(AgentAnswer::Silence);
        }
        let handle = SessionHandle {
            session: identity(agent.name(), &event.conversation)?,
            call_id: call.id.as_ref().map(|id| call_id(event, id)),
            actor: actor(agent.name(), event),
        };
        let mut args = call.args.clone();
        // If the model has written a value for this argument, the value is replaced.
        let sealed = HandleKey::of(&self.home)?.seal(&handle);
        args.insert(HANDLE, Json::from(sealed));
        Ok(AgentAnswer::Rewrite(args))
    }

    /// Returns the name of the argument that contains the command of a tool.
    fn command_of(&self, tool: &str) -> Option<&str> {
        let calls = self.documents.session.calls.as_ref()?;
        calls.calls.document.tool(tool)?.command.as_deref()
    }

    /// Returns whether our MCP server has a tool with this name.
    pub(super) fn is_own(&self, tool: &str) -> bool {
        tool == STATUS || tool == WAIT || self.own_tools().any(|name| name == tool)
    }

    /// Returns the names of the machines' own tools.
    pub fn own_tools(&self) -> impl Iterator<Item = &str> {
        let members = self.documents.session.members.iter();
        members.flat_map(|member| {
            let events = member.machine.events.iter();
            let tools = events.filter(|event| matches!(event.kind, EventKind::Tool { .. }));
            tools.map(|event| event.name.as_str())
        })
    }
}

fn closed() -> AgentAnswer {
    AgentAnswer::Deny(crate::answer::CLOSED.to_owned())
}

/// Returns the answer for a decision. Only `Decision::Run` lets a call run.
fn answer(decision: Decision) -> AgentAnswer {
    match decision {
        Decision::Run(_) => AgentAnswer::Silence,
        Decision::Repeated(EarlierDecision::LetRun { tool }) => AgentAnswer::Deny(format!(
            "`{tool}` was already allowed to run under this call id; call it again"
        )),
        other => AgentAnswer::Deny(other.answer().unwrap_or_default()),
    }
}
