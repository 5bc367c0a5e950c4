//! Answers prompts: the hook answers a person's command itself, and any other message from a person begins a turn.

use plan_machine::gate::{EventContext, TurnId};
use plan_machine_sessions::Session;

use super::card::{cards, not_counted};
use super::command::{CommandResult, LineKind, is_show, kind};
use super::context::states;
use super::delivery::Delivery;
use super::error::GateError;
use super::names::{actor, person};
use super::open::{HookReply, Keeper};
use crate::agents::{Agent, is_nested};
use crate::ancestors::Ancestry;
use crate::answer::AgentAnswer;
use crate::event::{AgentEvent, PersonProof};
use crate::project::digest_of;

/// A prompt that an agent reports.
pub struct Prompt<'a> {
    /// The text of the prompt.
    pub text: &'a str,
    /// Whether it is proved that a person typed the prompt.
    pub proof: PersonProof,
    /// Whether the agent shows the answer to a blocked prompt; `None` if the event does not say.
    pub shown: Option<bool>,
}

impl Keeper {
    /// Answers a prompt.
    ///
    /// # Errors
    ///
    /// If the session cannot answer; the prompt then grants nothing.
    pub async fn prompt(
        &self,
        agent: &dyn Agent,
        event: &AgentEvent,
        prompt: &Prompt<'_>,
        ancestry: impl Fn() -> Ancestry,
    ) -> Result<HookReply, GateError> {
        let session = self.session_of(agent, event)?;
        let prefix = self.documents.session.prefix;
        let kind = session
            .at_gate(|gate| kind(gate, prefix, prompt.text))
            .await?;
        if prompt.proof != PersonProof::Proven {
            let around = EventContext::now().by(actor(agent.name(), event));
            let why = format!("{} does not prove that a person typed it", agent.title());
            return self.unproven(&why, &session, &kind, &around).await;
        }
        let ancestry = ancestry();
        let around = EventContext::now().by(person());
        if is_nested(&ancestry) {
            let why = format!("another agent runs {} and may have typed it", agent.title());
            return self.unproven(&why, &session, &kind, &around).await;
        }
        let shown = prompt
            .shown
            .unwrap_or_else(|| agent.shows_blocked_prompts(&ancestry));
        match kind {
            LineKind::Message => {
                let turn = event
                    .turn
                    .as_deref()
                    .map_or_else(TurnId::unique, TurnId::new);
                session.begin_turn(&turn, &around).await?;
                self.context(&session).await
            }
            LineKind::Show => self.blocked(&session, String::new(), shown).await,
            LineKind::Mistyped(text) => Ok(AgentAnswer::Block(text).into()),
            LineKind::Command => {
                self.ensure_turn(&session, &around).await?;
                let around = match &event.turn {
                    Some(turn) => around.once(prompt_id(&session, turn, prompt.text).await?),
                    None => around,
                };
                let mut result = self.command(&session, prompt.text, &around, shown).await?;
                if is_show(prompt.text) && self.has_cards(&session).await? {
                    // The card contains the plan.
                    result.text.clear();
                }
                self.commanded(&session, result, shown).await
            }
        }
    }

    /// Answers a prompt that may come from a model: it is never a command and does not begin a person's turn.
    async fn unproven(
        &self,
        why: &str,
        session: &Session,
        kind: &LineKind,
        around: &EventContext,
    ) -> Result<HookReply, GateError> {
        self.ensure_turn(session, around).await?;
        if *kind == LineKind::Message {
            return self.context(session).await;
        }
        let session = session.identity();
        Ok(AgentAnswer::Block(format!(
            "This prompt changed nothing: {why}. In a terminal, `plan-machine command --session {session} COMMAND` sends a command, and `plan-machine status --session {session}` shows the plan."
        ))
        .into())
    }

    /// Answers a command. An accepted decision also reaches the model, so that the model continues at once.
    async fn commanded(
        &self,
        session: &Session,
        result: CommandResult,
        shown: bool,
    ) -> Result<HookReply, GateError> {
        if result.is_accepted_decision {
            let prompts = self.prompts(session).await?;
            let text = [result.text, prompts];
            let text: Vec<String> = text.into_iter().filter(|text| !text.is_empty()).collect();
            return Ok(AgentAnswer::Context(text.join("\n\n")).into());
        }
        self.blocked(session, result.text, shown).await
    }

    async fn has_cards(&self, session: &Session) -> Result<bool, GateError> {
        let cards = self.cards(session).await?;
        Ok(!cards.is_empty())
    }

    /// Blocks a prompt. The person gets the text and the cards of the plans that wait, or the states if there is
    /// neither.
    async fn blocked(
        &self,
        session: &Session,
        text: String,
        shown: bool,
    ) -> Result<HookReply, GateError> {
        let identity = session.identity();
        let (cards, states) = session
            .at_gate(|gate| {
                let documents = &self.documents;
                (cards(documents, identity, gate), states(documents, gate))
            })
            .await?;
        let mut parts = Vec::new();
        if !text.is_empty() {
            parts.push(text);
        } else if cards.is_empty() {
            parts.push(states);
        }
        let mut deliveries = Vec::new();
        for card in &cards {
            if !card.fits_a_message() {
                parts.push(format!("The plan is too long to be shown here. `plan-machine status --session {identity}` in a terminal shows it."));
                continue;
            }
            parts.push(card.text.clone());
            if shown {
                deliveries.push(Delivery::of(identity, card, "prompt"));
            }
        }
        if !shown && !cards.is_empty() {
            parts.push(not_counted(identity));
        }
        Ok(HookReply {
            answer: AgentAnswer::Block(parts.join("\n\n")),
            deliveries,
        })
    }
}

/// Returns the id of a prompt. Some agents state the same turn for several prompts, so the id also contains the prompt
/// and the number of the session's last entry. If that entry belongs to the same prompt, the event is a repetition.
async fn prompt_id(session: &Session, turn: &str, text: &str) -> Result<String, GateError> {
    let start = format!("prompt:{turn}:");
    let end = format!(":{}", digest_of(&[text.trim().as_bytes()]));
    let seq = session.seq().await?;
    let before = seq.checked_sub(1);
    let last = match before {
        Some(before) => session.history(before, 1).await?.pop(),
        None => None,
    };
    let last = last.and_then(|entry| entry.call_id);
    let same = last.filter(|id| id.starts_with(&start) && id.ends_with(&end));
    Ok(same.unwrap_or_else(|| format!("{start}{seq}{end}")))
}
