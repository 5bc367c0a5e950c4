//! The steps of an approved plan, carried out one by one.

use plan_machine::gate::StartedCall;
use plan_machine::{HostTool, Id};
use plan_specs::plan_mode::types::{Step, StepStatus};
use plan_specs::plan_mode::{Event, Machine, State, event};

use super::super::stored::find;
use crate::error::HostError;
use crate::host::{Conversation, SignalAnswer, why};
use crate::outgoing::Content;
use crate::tools::{INTERRUPTED, ToolError};
use crate::words::{QUOTED, in_a_line};

impl Conversation<'_> {
    /// Carries out one recorded call. The start of the call is stored first, and the plan accepts the start from only
    /// one host, so that no step is started twice unnoticed.
    pub(super) async fn step(&self, plan: &Id, step: i64) -> Result<Vec<Content>, HostError> {
        let Some(Step { tool, args, .. }) = self.recorded(plan, step).await? else {
            // The plan was just cancelled.
            return Ok(Vec::new());
        };
        self.note_call(Some(plan.as_str()));
        let args = args.as_object().cloned().unwrap_or_default();
        let call = HostTool::new(tool.as_str(), args);
        let event = Event::StepStarted(event::StepStarted { step });
        let context = self.context("host", None);
        let started = self
            .session
            .start_recorded::<Machine>(plan, event, call, &context);
        let started = match started.await?.answer {
            StartedCall::Denied(denial) => {
                self.note_call(None);
                return self
                    .not_begun(plan, step, SignalAnswer::Denied(denial))
                    .await;
            }
            StartedCall::Run(call) => Ok(call),
            StartedCall::Withdrawn(denial) => Err(why(&denial)),
        };
        let entry = self.enter_work::<Machine>(plan.as_str(), State::Executing);
        // If the plan was cancelled before the work was added to the list of work, the work has not been stopped yet.
        self.stop_given_up().await?;
        let ran = match started {
            Ok(_) if entry.stop.is_stopped() => Err(ToolError::Refused(
                "the tool did not run: the plan was cancelled".to_owned(),
            )),
            Ok(call) => self.host.tools.run(call, &entry.stop).await,
            Err(why) => Err(ToolError::Refused(format!("the tool did not run: {why}"))),
        };
        let stored = self.signal::<Machine>(plan, result(&ran)).await?;
        self.note_call(None);
        let number = step + 1;
        if entry.stop.is_stopped() {
            let said = Content::Notice(format!("Step {number}, `{tool}`, was {INTERRUPTED}."));
            return Ok(self.say(vec![said]));
        }
        let mut said = match ran {
            Ok(result) => {
                let first = first_line(&result);
                vec![Content::Notice(format!("Step {number}, `{tool}`: {first}"))]
            }
            Err(error) => failed(number, tool, &error.to_string()),
        };
        let not_stored = format!("step {number} ran, but the plan did not accept the result");
        said.extend(stored.report(&not_stored));
        Ok(self.say(said))
    }

    /// Returns the call that was recorded as a step.
    async fn recorded(&self, plan: &Id, step: i64) -> Result<Option<Step>, HostError> {
        let plan = find::<Machine>(self, plan).await?;
        let at = usize::try_from(step).ok();
        Ok(plan.and_then(|plan| plan.data.steps.get(at?).cloned()))
    }

    /// Reports a step that is due but could not be started. If the step was already started elsewhere or is no longer
    /// due, its effect was delivered again, and there is nothing to report.
    async fn not_begun(
        &self,
        plan: &Id,
        step: i64,
        denied: SignalAnswer,
    ) -> Result<Vec<Content>, HostError> {
        let plan = find::<Machine>(self, plan).await?;
        let plan = plan.filter(|plan| plan.state == State::Executing);
        let at = usize::try_from(step).ok();
        let due = plan.as_ref().and_then(|plan| plan.data.steps.get(at?));
        if due.is_none_or(|step| step.status != StepStatus::Pending) {
            return Ok(Vec::new());
        }
        let denied = denied.report(&format!("step {} was not started", step + 1));
        Ok(self.say(denied.into_iter().collect()))
    }

    /// Marks an interrupted step as failed: the plan stops until a person resumes it.
    pub(super) async fn stop_interrupted(&self) -> Result<Vec<Content>, HostError> {
        let Some(plan) = self.take_interrupted() else {
            return Ok(Vec::new());
        };
        let Some(plan) = find::<Machine>(self, &Id::from(plan.as_str())).await? else {
            return Ok(Vec::new());
        };
        // A step that has not started yet, or is over, was not interrupted.
        let mut steps = plan.data.steps.iter();
        if !steps.any(|step| step.status == StepStatus::InProgress) {
            return Ok(Vec::new());
        }
        let restarted = Event::Restarted(event::Restarted {
            reason: Some(INTERRUPTED.to_owned()),
        });
        let stopped = self.signal::<Machine>(&plan.id, restarted).await?;
        let denied = stopped.report("the interrupted plan did not stop");
        Ok(denied.into_iter().collect())
    }

    /// Stops the plans whose steps are no longer being carried out.
    pub(super) async fn stop_steps(&self) -> Result<Vec<Content>, HostError> {
        let mut said = Vec::new();
        for plan in self.session.plans_of::<Machine>().await? {
            if plan.state == State::Executing {
                let restarted = Event::Restarted(event::Restarted { reason: None });
                let stopped = self.signal::<Machine>(&plan.id, restarted).await?;
                // The plan may have ended since it was looked up.
                said.extend(stopped.report_unless_over(&format!("{} did not stop", plan.id)));
            }
        }
        Ok(said)
    }
}

/// Returns the result of a step, in the form that the plan accepts.
fn result(ran: &Result<String, ToolError>) -> Event {
    match ran {
        Ok(result) => Event::StepCompleted(event::StepCompleted {
            result: Some(result.clone()),
        }),
        Err(error) => Event::StepFailed(event::StepFailed {
            error: error.to_string(),
        }),
    }
}

/// Reports a step that failed, and the output of its tool.
fn failed(number: i64, tool: String, error: &str) -> Vec<Content> {
    let (why, printed) = error.split_once('\n').unwrap_or((error, ""));
    let why = in_a_line(why, QUOTED);
    let mut said = vec![Content::Error(format!(
        "step {number}, `{tool}`, failed: {why}"
    ))];
    if !printed.trim().is_empty() {
        let text = printed.to_owned();
        said.push(Content::Output { from: tool, text });
    }
    said
}

/// Shortens a result to at most 100 characters of its first line.
fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(100).collect();
    if short.len() < text.trim_end().len() {
        short.push('…');
    }
    short
}
