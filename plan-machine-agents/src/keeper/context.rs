//! The texts about the state of a session, for the model and for the person.

use plan_machine::gate::Gate;
use plan_machine_sessions::Session;

use super::command::texts;
use super::error::GateError;
use super::open::{HookReply, Keeper};
use crate::answer::AgentAnswer;

impl Keeper {
    /// Returns the prompts of the current states, with commands as people type them.
    pub(super) async fn prompts(&self, session: &Session) -> Result<String, GateError> {
        let (prompts, commands) = session
            .at_gate(|gate| {
                let machines = gate.machines().iter();
                let commands = machines.flat_map(|machine| texts(machine.description()));
                (gate.prompts().join("\n"), commands.collect::<Vec<_>>())
            })
            .await?;
        let prefix = self.documents.session.prefix;
        Ok(prefix.shown(&prompts, commands).into_owned())
    }

    /// Returns the reply that gives the model the prompts of the states.
    pub(super) async fn context(&self, session: &Session) -> Result<HookReply, GateError> {
        let prompts = self.prompts(session).await?;
        Ok(if prompts.trim().is_empty() {
            AgentAnswer::Silence.into()
        } else {
            AgentAnswer::Context(prompts).into()
        })
    }
}

/// Returns the states of the machines, one line each.
pub(super) fn states(gate: &Gate) -> String {
    let machines = gate.machines().iter();
    let lines = machines.map(|machine| {
        let tables = machine.description();
        if tables.is_many() {
            let plans = machine.plans();
            let plans = plans
                .iter()
                .map(|plan| format!("{} {}", plan.id, plan.state));
            return format!("{}: {}", tables.name, plans.collect::<Vec<_>>().join(", "));
        }
        let state = tables.shown_state(machine.batch_start().place());
        format!("{}: {state}", tables.name)
    });
    lines.collect::<Vec<_>>().join("\n")
}
