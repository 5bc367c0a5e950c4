//! The start of a conversation: the model gets the prompts of the states, and gets them again after a compaction. If
//! the conversation is resumed, the person gets the cards of the waiting plans again, because their tokens are new.

use plan_machine::gate::EventContext;
use plan_machine_kernel::json::Object;

use super::done::CardChoice;
use super::error::GateError;
use super::names::actor;
use super::open::{HookReply, Keeper};
use crate::agents::Agent;
use crate::ancestors::Ancestry;
use crate::answer::AgentAnswer;
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
        ancestry: impl Fn() -> Ancestry,
    ) -> Result<HookReply, GateError> {
        let session = self.session_of(agent, event)?;
        let around = EventContext::now().by(actor(agent.name(), event));
        self.ensure_turn(&session, &around).await?;
        if reason != StartReason::Resumed {
            return self.context(&session).await;
        }
        self.signal(&session, RESUMED, &Object::new(), &around)
            .await?;
        let told = self.context(&session).await?;
        let (cards, deliveries) = self
            .message(agent, &session, CardChoice::All, ancestry)
            .await?;
        let answer = match (told.answer, cards) {
            (answer, None) => answer,
            (AgentAnswer::Context(context), Some(cards)) => {
                AgentAnswer::ShowAgain { context, cards }
            }
            (_, Some(cards)) => AgentAnswer::Show(cards),
        };
        Ok(HookReply { answer, deliveries })
    }
}
