//! The start of a conversation: the model gets the prompts of the states, and gets them again after a compaction.

use plan_machine::gate::EventContext;
use plan_machine_kernel::json::Object;

use super::error::GateError;
use super::names::actor;
use super::open::{HookReply, Keeper};
use crate::agents::Agent;
use crate::event::{AgentEvent, StartReason};

/// The signal that a machine gets when a conversation continues after a break, if the machine declares it.
const RESUMED: &str = "resumed";

impl Keeper {
    /// Answers the start of a conversation.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn start(
        &self,
        agent: &dyn Agent,
        event: &AgentEvent,
        reason: StartReason,
    ) -> Result<HookReply, GateError> {
        let session = self.session_of(agent, event)?;
        let around = EventContext::now().by(actor(agent.name(), event));
        self.ensure_turn(&session, &around).await?;
        if reason == StartReason::Resumed {
            self.signal(&session, RESUMED, &Object::new(), &around)
                .await?;
        }
        self.context(&session).await
    }
}
