//! One turn: the model is asked until it answers, and every call it makes goes through the gate.

use std::collections::HashSet;

use plan_machine::gate::{Decision, ToolCall};

use super::parts::Conversation;
use crate::error::HostError;
use crate::history::History;
use crate::model::{Message, ModelCall, Response};
use crate::outgoing::Content;
use crate::stop::Stop;

/// How often the model is asked in one turn.
const ROUNDS: usize = 24;

/// What is known of a call until it has been made.
const UNKNOWN: &str = "interrupted: the result of this call is unknown";

/// What the model works at: a conversation, a run, or a step of a plan.
pub struct Work {
    /// What was said so far.
    pub history: History,
    /// What it is reminded of.
    pub memories: Vec<String>,
    /// What it is told beside that.
    pub notes: Vec<String>,
    /// Its calls do not become steps of a plan: that is made in the conversation, and not by what works beside it.
    pub is_beside: bool,
    /// Ends it before the model has answered.
    pub stop: Stop,
}

impl Conversation<'_> {
    /// Lets the model answer; gives what it and the plans have to say meanwhile.
    ///
    /// An error of the model ends the turn and is said; the session goes on with the next one. A turn that is stopped
    /// ends at once, with its tools.
    ///
    /// # Errors
    ///
    /// Where the session cannot answer, or the history cannot be written.
    pub async fn turn(&self, work: &mut Work, text: &str) -> Result<Vec<Content>, HostError> {
        let mut said = Vec::new();
        work.history.add(vec![Message::User(text.to_owned())])?;
        for _ in 0..ROUNDS {
            let request = self.request(work, text).await?;
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
                work.history.add(vec![Message::Model(response)])?;
                return Ok(said);
            }
            // Calls are in the history before they are made, so that one who stops in between knows of them; and
            // never without a result.
            let unknown = response.calls.iter().map(|call| result(call, UNKNOWN));
            let called = Message::Model(response.clone());
            work.history
                .add([called].into_iter().chain(unknown).collect())?;
            let results = self.calls(work, place, &response, &mut said).await?;
            work.history.settle(results)?;
            if work.stop.is_stopped() {
                return Ok(said);
            }
            said.extend(self.effects().await?);
        }
        said.push(Content::Error(format!(
            "the model was asked {ROUNDS} times and still has no answer; say something to go on"
        )));
        Ok(said)
    }

    /// Decides about the calls of one response, runs what may run, and gives the results in order.
    async fn calls(
        &self,
        work: &Work,
        place: u64,
        response: &Response,
        said: &mut Vec<Content>,
    ) -> Result<Vec<Message>, HostError> {
        let readable = (0..).zip(&response.calls).filter_map(|(index, call)| {
            let args = call.args.as_ref().ok()?;
            let id = work.history.call_id(place, index);
            Some(ToolCall::new(call.tool.as_str(), args.clone()).once(id))
        });
        let batch: Vec<ToolCall> = readable.collect();
        let mut context = self.context("model", Some(response));
        if work.is_beside {
            context = context.unrecorded();
        }
        let done = self.session.decide(&batch, &context).await?;
        let mut decisions = done.answer.into_iter();
        let mut results = Vec::new();
        for call in &response.calls {
            let told = match &call.args {
                Err(why) => format!("invalid_input: the arguments are not a JSON object: {why}"),
                Ok(_) => match decisions.next() {
                    Some(decision) => self.run(work, decision, said).await,
                    None => "refused: nothing was decided".to_owned(),
                },
            };
            results.push(result(call, &told));
        }
        Ok(results)
    }

    /// What the model is told of a call.
    async fn run(&self, work: &Work, decision: Decision, said: &mut Vec<Content>) -> String {
        let allowed = match decision {
            Decision::Run(allowed) => allowed,
            Decision::Repeated(earlier) => {
                // Each call of a model has an identity of its own, so this one was not made. Nobody may take what was
                // decided about another call for its result.
                let told = format!("a call was not made: {}", earlier.answer());
                said.push(Content::Error(told.clone()));
                return format!("refused: {told}");
            }
            other => return other.answer().unwrap_or_default(),
        };
        let tool = allowed.tool().to_owned();
        // A person may have ended what this work is for, here or in another process.
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
            // What cannot be noted does not stop the work that it is about; the user learns of it.
            let noted = handler.tool_ran(self, &tool, &ran).await;
            said.extend(noted.unwrap_or_else(|error| vec![Content::Error(error.to_string())]));
        }
        match ran {
            Ok(content) => content,
            Err(error) => format!("error: {error}"),
        }
    }
}

/// The response with an id for each call: results name the calls that they belong to, and not every model does.
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
