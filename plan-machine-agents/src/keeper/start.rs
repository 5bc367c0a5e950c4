//! The start of a conversation, and what follows a compaction: the model gets the prompts of the states again.

use plan_machine::gate::EventContext;
use plan_machine_kernel::json::Object;

use super::error::GateError;
use super::names::{actor, identity};
use super::open::{HookReply, Keeper};
use crate::agents::Agent;
use crate::event::{AgentEvent, StartReason};

/// The signal that machines get when a conversation goes on after a break, if they declare it.
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
        let session = self.session(&identity(agent.name(), &event.conversation)?);
        let around = EventContext::now().by(actor(agent.name(), event));
        self.ensure_turn(&session, &around).await?;
        if reason == StartReason::Resumed {
            self.signal(&session, RESUMED, &Object::new(), &around)
                .await?;
        }
        self.context(&session).await
    }
}
