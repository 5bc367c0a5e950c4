//! One turn: the model is called until it answers without a tool call, and every tool call goes through the gate.

use std::collections::{HashMap, HashSet};
use std::sync::PoisonError;

use plan_machine::DenialKind;
use plan_machine::gate::{Decision, EventContext, ToolCall};
use plan_machine::machine::Denial;

use super::denials::DenialReport;
use super::parts::Conversation;
use crate::error::HostError;
use crate::history::History;
use crate::model::{Message, ModelCall, Response};
use crate::outgoing::Content;
use crate::stop::Stop;

/// The maximum number of times the model is called in one turn.
const ROUNDS: usize = 24;

/// The text that a person sees if the model has answered with nothing but blank lines.
const EMPTY: &str = "The model's answer was empty.";

/// The placeholder for the result of a call that has not been made yet.
const UNKNOWN: &str = "interrupted: the result of this call is unknown";

/// Work for the model: a conversation, a run, or a step of a plan.
pub struct Work {
    /// The conversation so far.
    pub history: History,
    /// The memories that the model receives.
    pub memories: Vec<String>,
    /// Further notes for the model.
    pub notes: Vec<String>,
    /// Whether the work runs in the background. Calls made by background work do not become steps of a plan, and cannot
    /// change a plan.
    pub is_background: bool,
    /// Ends the work before the model has answered.
    pub stop: Stop,
}

impl Conversation<'_> {
    /// Lets the model answer; returns the content that the model and the plans produce.
    ///
    /// An error of the model ends the turn and is reported; the session continues with the next turn. A stopped turn
    /// ends immediately, along with its tools.
    ///
    /// # Errors
    ///
    /// If the session cannot answer, if an effect cannot be performed, or if the history cannot be written.
    pub async fn turn(&self, work: &mut Work, text: &str) -> Result<Vec<Content>, HostError> {
        let mut said = Vec::new();
        work.history.add(vec![Message::User(text.to_owned())])?;
        for _ in 0..ROUNDS {
            let (request, withheld) = self.request(work, text).await?;
            let responded = tokio::select! {
                responded = self.host.model.respond(&request) => responded,
                () = work.stop.stopped() => return Ok(said),
            };
            let place = work.history.added();
            let response = match responded {
                Ok(response) => with_ids(response, place),
                Err(error) => {
                    said.push(Content::Error(error.to_string()));
                    return Ok(said);
                }
            };
            if !response.text.trim().is_empty() {
                said.push(Content::Model(response.text.clone()));
            }
            if response.calls.is_empty() {
                // Without this line, a person could not tell that the model has answered.
                let has_spoken = said.iter().any(|said| matches!(said, Content::Model(_)));
                if !has_spoken && !work.is_background {
                    said.push(Content::Notice(EMPTY.to_owned()));
                }
                work.history.add(vec![Message::Model(response)])?;
                return Ok(said);
            }
            // Calls enter the history before they are made, so that they are known if the host stops in between. Each
            // call enters the history together with a placeholder for its result.
            let unknown = response.calls.iter().map(|call| result(call, UNKNOWN));
            let called = Message::Model(response.clone());
            work.history
                .add([called].into_iter().chain(unknown).collect())?;
            let denied = |tool: &str| self.kept_out(work, &withheld, tool);
            let results = self
                .calls(work, place, &response, denied, &mut said)
                .await?;
            work.history.settle(results)?;
            if work.stop.is_stopped() {
                return Ok(said);
            }
            said.extend(self.effects().await?);
        }
        said.push(Content::Error(format!(
            "the model was called {ROUNDS} times and has not finished its answer; send a message to continue"
        )));
        Ok(said)
    }

    /// Returns the reason why a call is denied without asking the plans: the tool was not offered to the model, or the
    /// work must not change plans. Returns `None` if the plans decide on the call.
    fn kept_out(
        &self,
        work: &Work,
        withheld: &HashMap<String, String>,
        tool: &str,
    ) -> Option<String> {
        if work.is_background && self.mode().changes_plans(tool) {
            return Some(format!(
                "`{tool}` changes a plan, and only the conversation itself can do that"
            ));
        }
        withheld.get(tool).cloned()
    }

    /// Decides on the calls of one response, runs those that are allowed, and returns the results
    /// in order.
    async fn calls(
        &self,
        work: &Work,
        place: u64,
        response: &Response,
        kept_out: impl Fn(&str) -> Option<String>,
        said: &mut Vec<Content>,
    ) -> Result<Vec<Message>, HostError> {
        let readable = (0..).zip(&response.calls).filter_map(|(index, call)| {
            let args = call.args.as_ref().ok();
            let args = args.filter(|_| kept_out(&call.tool).is_none())?;
            let id = work.history.call_id(place, index);
            Some(ToolCall::new(call.tool.as_str(), args.clone()).once(id))
        });
        let batch: Vec<ToolCall> = readable.collect();
        let mut context = self.context("model", Some(response));
        if work.is_background {
            context = context.unrecorded();
        }
        let done = self.session.decide(&batch, &context).await?;
        let mut decided = batch.into_iter().zip(done.answer);
        let mut results = Vec::new();
        for call in &response.calls {
            let told = match (&call.args, kept_out(&call.tool)) {
                (Err(why), _) => {
                    let why = format!("the call cannot be read: {why}");
                    self.deny(call, DenialKind::InvalidInput, why, done.seq, &context)
                        .await?
                }
                (Ok(_), Some(why)) => {
                    self.deny(call, DenialKind::NotAllowed, why, done.seq, &context)
                        .await?
                }
                (Ok(_), None) => match decided.next() {
                    Some((call, decision)) => {
                        if let Decision::Denied(denial) = &decision {
                            self.tell_denied(call, denial, done.seq, &context);
                        }
                        self.run(work, decision, said).await
                    }
                    None => "refused: there is no decision on this call".to_owned(),
                },
            };
            results.push(result(call, &told));
        }
        Ok(results)
    }

    /// Denies a call without asking the plans, and reports the denial as if it came from the plans; returns the text
    /// that the model receives.
    async fn deny(
        &self,
        call: &ModelCall,
        kind: DenialKind,
        why: String,
        seq: u64,
        context: &EventContext,
    ) -> Result<String, HostError> {
        let call = ToolCall::new(call.tool.as_str(), call.args.clone().unwrap_or_default());
        let denial = Denial {
            kind,
            messages: vec![why],
            state: String::new(),
            allowed_in: Vec::new(),
        };
        let told = denial.to_string();
        self.tell_denied(call.clone(), &denial, seq, context);
        self.session.report_denial(&call, denial, context).await?;
        Ok(told)
    }

    /// Tells the listener, if there is one, about a denied call.
    fn tell_denied(&self, call: ToolCall, denial: &Denial, seq: u64, context: &EventContext) {
        let own = self.host.on_denial.lock();
        // The lock is not held while the listener runs, so the listener may use the host.
        let own = own.unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(listener) = own {
            listener(DenialReport {
                session: self.session.identity().clone(),
                seq,
                call,
                reason: denial.to_string(),
                context: context.clone(),
            });
        }
    }

    /// Runs a call if the decision allows it; returns the text that the model receives as the result of the call.
    async fn run(&self, work: &Work, decision: Decision, said: &mut Vec<Content>) -> String {
        let allowed = match decision {
            Decision::Run(allowed) => allowed,
            Decision::Repeated(earlier) => {
                // Every call by a model has its own identity, so a call that counts as repeated was
                // not made. The decision about an earlier call must not be mistaken for the result
                // of this one.
                let told = format!("a call was not made: {}", earlier.answer());
                said.push(Content::Error(told.clone()));
                return format!("refused: {told}");
            }
            other => return other.answer().unwrap_or_default(),
        };
        let tool = allowed.tool().to_owned();
        // A person may have ended this work, here or in another process.
        if let Err(error) = self.stop_given_up().await {
            return format!("refused: {error}");
        }
        if work.stop.is_stopped() {
            return "refused: the work was stopped before this call".to_owned();
        }
        let confirmed = match self.session.confirm(allowed).await {
            Ok(confirmed) => confirmed,
            Err(error) => return format!("refused: {error}"),
        };
        let ran = self.host.tools.run(confirmed, &work.stop).await;
        for handler in self.mode().handlers() {
            // If a result cannot be recorded, the work continues, and the error is reported to the user.
            let noted = handler.tool_ran(self, &tool, &ran).await;
            said.extend(noted.unwrap_or_else(|error| vec![Content::Error(error.to_string())]));
        }
        match ran {
            Ok(content) => content,
            Err(error) => format!("error: {error}"),
        }
    }
}

/// Gives every call of a response an id: results refer to their calls by id, and not every model sets an id.
fn with_ids(mut response: Response, place: u64) -> Response {
    let mut seen = HashSet::new();
    for (index, call) in response.calls.iter_mut().enumerate() {
        if call.id.is_empty() || !seen.insert(call.id.clone()) {
            call.id = format!("call-{place}-{index}");
            seen.insert(call.id.clone());
        }
    }
    response
}

fn result(call: &ModelCall, content: &str) -> Message {
    Message::Result {
        call_id: call.id.clone(),
        tool: call.tool.clone(),
        content: content.to_owned(),
    }
}
