//! The lifecycle `work_by_plan`: one Markdown plan that a person approves, then a turn of the model for each message.
//!
//! When the approved plan is done, the model says so in an answer that starts with `DONE:`. The host then sends the plan
//! a signal.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use plan_machine::Id;
use plan_machine::short_token;
use plan_machine_sessions::{SessionIdentity, SessionPlan};
use plan_specs::work_by_plan::{Effect, Event, Machine, State};

use crate::host::{Attendant, ContentFuture, Conversation, Handler};
use crate::outgoing::Content;

/// The prefix of an answer that reports that the plan is done.
const DONE: &str = "DONE:";

/// The handler of `work_by_plan`.
#[derive(Debug, Default)]
pub struct WorkByPlan {
    /// For each session, the plan that was in progress when the session's last turn started.
    executing: Mutex<HashMap<SessionIdentity, Id>>,
}

impl Handler for WorkByPlan {
    type Machine = Machine;

    fn effect<'a>(&'a self, at: &'a Conversation<'a>, effect: Effect) -> ContentFuture<'a> {
        Box::pin(async move {
            match effect {
                Effect::PlanReady { plan, token } => at.card(&plan, &token).await,
                Effect::PlanApproved { .. } => Ok(vec![Content::Notice(
                    "Tell the model what to start with.".to_owned(),
                )]),
                Effect::PlanExpired { plan } => Ok(vec![Content::Notice(format!(
                    "The approval of {plan} has expired. Ask the model to store the plan again; `/plan cancel` cancels it."
                ))]),
            }
        })
    }
}

impl Attendant for WorkByPlan {
    fn before_message<'a>(&'a self, at: &'a Conversation<'a>, _: &'a str) -> ContentFuture<'a> {
        Box::pin(async move {
            let plans = at.session.plans_of::<Machine>().await?;
            let plan = plans.iter().find(|plan| plan.state == State::Executing);
            let session = at.session.identity().clone();
            let mut executing = self
                .executing
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            match plan {
                Some(plan) => executing.insert(session, plan.id.clone()),
                None => executing.remove(&session),
            };
            Ok(Vec::new())
        })
    }

    /// Completes the plan that was in progress when the turn started, if the model's answer reports that the plan is
    /// done. A draft that replaced the plan during this turn is not completed: it has not been worked on.
    fn after_turn<'a>(
        &'a self,
        at: &'a Conversation<'a>,
        turn: &'a [Content],
    ) -> ContentFuture<'a> {
        Box::pin(async move {
            let executing = self
                .executing
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .remove(at.session.identity());
            let says_so = matches!(turn.last(), Some(Content::Model(text)) if text.trim_start().starts_with(DONE));
            let Some(plan) = executing.filter(|_| says_so) else {
                return Ok(Vec::new());
            };
            let finished = at.signal::<Machine>(&plan, Event::Finished).await?;
            if !finished.is_accepted() {
                let denied = format!(
                    "the model reported {plan} as done, but the plan did not accept the report"
                );
                return Ok(finished.report(&denied).into_iter().collect());
            }
            Ok(vec![Content::Notice(format!(
                "According to the model, {plan} is complete. `/plan on` starts the next plan; `/plan done` ends plan work."
            ))])
        })
    }

    fn invitation(&self) -> Option<(&'static str, &'static str)> {
        Some(("Say something to the model.", "/plan on starts a plan."))
    }

    /// Returns the Markdown as it was written: exactly this text is approved.
    fn body(&self, held: &SessionPlan) -> String {
        let plan = held.plan.typed::<Machine>().ok();
        let markdown = plan.and_then(|plan| plan.data.markdown.clone());
        markdown.unwrap_or_default()
    }

    fn decisions(&self, held: &SessionPlan) -> Vec<String> {
        let token = short_token(&held.plan.token);
        vec![format!("/plan approve {token}"), "/plan cancel".to_owned()]
    }
}
