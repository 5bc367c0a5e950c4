//! The end of a call: a machine that has counted the call learns that it ran, and new cards are shown.

use plan_machine::Address;
use plan_machine::gate::EventContext;
use plan_machine_compiler::model::machine::{Event, EventKind};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::Session;

use super::card::cards;
use super::delivery::Delivery;
use super::error::GateError;
use super::names::{actor, call_id, identity};
use super::open::{HookReply, Keeper};
use crate::agents::Agent;
use crate::ancestors::Ancestry;
use crate::answer::Answer;
use crate::event::{AgentCall, AgentEvent};

/// The signal that machines get when a call has run, if they declare it, with those of the inputs `tool`, `args` and
/// `call` that they declare. A call that was counted and has no such signal may have run.
pub(super) const FINISHED: &str = "call_finished";

impl Keeper {
    /// Answers the end of a call.
    ///
    /// # Errors
    ///
    /// If the session cannot answer.
    pub async fn done(
        &self,
        agent: &dyn Agent,
        event: &AgentEvent,
        call: &AgentCall,
        ancestry: impl Fn() -> Ancestry,
    ) -> Result<HookReply, GateError> {
        let session = self.session(&identity(agent.name(), &event.conversation)?);
        let mut around = EventContext::now().by(actor(agent.name(), event));
        if agent.own_tool(&call.tool).is_none() {
            let mut with = Object::new();
            with.push("tool", call.tool.as_str());
            with.push("args", Json::from(call.args.clone()));
            if let Some(id) = &call.id {
                let id = call_id(event, id);
                with.push("call", id.as_str());
                around = around.once(format!("done:{id}"));
            }
            self.signal(&session, FINISHED, &with, &around).await?;
            return Ok(Answer::Silence.into());
        }
        self.new_cards(agent, &session, ancestry).await
    }

    /// Shows the cards that the person has not seen yet, where the agent shows messages.
    async fn new_cards(
        &self,
        agent: &dyn Agent,
        session: &Session,
        ancestry: impl Fn() -> Ancestry,
    ) -> Result<HookReply, GateError> {
        let cards = session.at_gate(|gate| cards(&self.documents, gate)).await?;
        let (mut texts, mut deliveries) = (Vec::new(), Vec::new());
        let identity = session.identity();
        for card in cards.iter().filter(|card| card.fits_a_message()) {
            let (machine, plan) = (&card.machine, &card.plan);
            if !self
                .deliveries
                .contain(identity, machine, plan, &card.token)?
            {
                texts.push(card.text.clone());
                deliveries.push(Delivery::of(identity, card, "message"));
            }
        }
        if texts.is_empty() {
            return Ok(Answer::Silence.into());
        }
        if !agent.shows_messages(&ancestry()) {
            deliveries.clear();
        }
        Ok(HookReply {
            answer: Answer::Show(texts.join("\n\n")),
            deliveries,
        })
    }

    /// Sends a signal to every machine that declares it and handles it now. A machine that denies it stays as it is.
    pub(super) async fn signal(
        &self,
        session: &Session,
        name: &str,
        with: &Object,
        around: &EventContext,
    ) -> Result<(), GateError> {
        for member in &self.documents.session.members {
            let machine = &member.machine;
            let is_it =
                |event: &&Event| event.name == name && matches!(event.kind, EventKind::Signal);
            let declared = machine.events.iter().find(is_it);
            let Some(event) = declared else {
                continue;
            };
            let mut inputs = Object::new();
            for (key, value) in with.iter() {
                if event.input.iter().any(|input| input.name == key) {
                    inputs.push(key.to_owned(), value.clone());
                }
            }
            session
                .signal_by_name(&machine.name, name, Address::ANY, inputs, around)
                .await?;
        }
        Ok(())
    }
}
