//! The end of a call: after a call to a host tool, machines get a signal; after a call to one of our own tools, the
//! person gets new cards.

use plan_machine::Address;
use plan_machine::description::{EventKind, Handling};
use plan_machine::gate::{EventContext, Gate};
use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::Session;

use super::card::not_counted;
use super::delivery::Delivery;
use super::error::GateError;
use super::names::{ENDED, actor, call_id};
use super::open::{HookReply, Keeper};
use crate::agents::Agent;
use crate::ancestors::Ancestry;
use crate::answer::AgentAnswer;
use crate::event::{AgentCall, AgentEvent};

/// The choice of the cards that a message contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CardChoice {
    /// Only the cards that the person has not seen yet.
    New,
    /// All cards of the session.
    All,
}

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
        (call, failed): (&AgentCall, bool),
        ancestry: impl Fn() -> Ancestry,
    ) -> Result<HookReply, GateError> {
        let session = self.session_of(agent, event)?;
        let mut around = EventContext::now().by(actor(agent.name(), event));
        if agent.own_tool(&call.tool).is_none() {
            let mut with = Object::new();
            with.push("tool", call.tool.as_str());
            with.push("args", Json::from(call.args.clone()));
            with.push("failed", failed);
            if let Some(id) = &call.id {
                let id = call_id(event, id);
                with.push("call", id.as_str());
                around = around.once(format!("done:{id}"));
            }
            self.signal(&session, ENDED, &with, &around).await?;
            return Ok(AgentAnswer::Silence.into());
        }
        let (text, deliveries) = self
            .message(agent, &session, CardChoice::New, ancestry)
            .await?;
        Ok(HookReply {
            answer: text.map_or(AgentAnswer::Silence, AgentAnswer::Show),
            deliveries,
        })
    }

    /// Returns a message with cards, and what it delivers. If the agent might not show the message, it delivers
    /// nothing, and the message says so.
    pub(super) async fn message(
        &self,
        agent: &dyn Agent,
        session: &Session,
        choice: CardChoice,
        ancestry: impl Fn() -> Ancestry,
    ) -> Result<(Option<String>, Vec<Delivery>), GateError> {
        let cards = self.cards(session).await?;
        let (mut texts, mut deliveries) = (Vec::new(), Vec::new());
        let identity = session.identity();
        for card in cards.iter().filter(|card| card.fits_a_message()) {
            let (machine, plan) = (&card.machine, &card.plan);
            let known = &self.deliveries;
            if choice == CardChoice::New && known.contain(identity, machine, plan, &card.token)? {
                continue;
            }
            texts.push(card.text.clone());
            deliveries.push(Delivery::of(identity, card, "message"));
        }
        if texts.is_empty() {
            return Ok((None, deliveries));
        }
        if !agent.shows_messages(&ancestry()) {
            deliveries.clear();
            texts.push(not_counted(identity));
        }
        Ok((Some(texts.join("\n\n")), deliveries))
    }

    /// Sends a signal to every machine that declares it and handles it now. If there is no such machine, nothing is
    /// stored.
    pub(super) async fn signal(
        &self,
        session: &Session,
        name: &str,
        with: &Object,
        around: &EventContext,
    ) -> Result<(), GateError> {
        let takers = session.at_gate(|gate| takers(gate, name)).await?;
        for member in &self.documents.session.members {
            let machine = &member.machine;
            let mut declared = machine.events.iter().filter(|event| event.name == name);
            let Some(event) = declared.next().filter(|_| takers.contains(&machine.name)) else {
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

/// Returns the machines that would handle a signal in their current state. A machine with several plans at a time is
/// included in any case.
fn takers(gate: &Gate, name: &str) -> Vec<String> {
    let machines = gate.machines().iter().filter(|machine| {
        let tables = machine.description();
        let Some(event) = tables.event_named(name) else {
            return false;
        };
        let is_signal = matches!(tables.event(event).kind, EventKind::Signal);
        let state = machine.batch_start().place();
        is_signal && (tables.is_many() || tables.handling(state, event) == Handling::Takes)
    });
    machines
        .map(|machine| machine.description().name.to_owned())
        .collect()
}
