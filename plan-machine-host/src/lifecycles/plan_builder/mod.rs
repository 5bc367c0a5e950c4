//! Any number of plans that are built piece by piece: a planner builds them, a person approves
//! them, and each step of an approved plan is one turn of the model.

mod answer;
mod execution;
mod older;
mod planner;
mod plans;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use plan_machine::gate::EventContext;
use plan_machine::machine::Denial;
use plan_machine::{DenialKind, Id, Json, short_token};
use plan_machine_sessions::{SessionIdentity, SessionPlan};
use plan_specs::plan_builder::types::{Step, StepStatus};
use plan_specs::plan_builder::{Context, Effect, Machine, State};

use super::stored::find;
use crate::host::{Attendant, ContentFuture, Conversation, Handler, one_line};
use crate::model::Response;
use crate::outgoing::Content;
use crate::words::{QUOTED, in_a_line, sentence};
use plans::{line, plans_in};

/// The machine's answer to `/plan status` if it has no plan to list.
const NO_PLAN: &str = "There is no plan.";

/// The handler of `plan_builder`.
#[derive(Debug, Default)]
pub struct PlanBuilder {
    /// Allows one task at a time to carry out the steps of a session's plans.
    carrying: Mutex<HashMap<SessionIdentity, Arc<tokio::sync::Mutex<()>>>>,
}

impl PlanBuilder {
    /// Returns the lock that is held while the steps of a session's plans are being carried out.
    fn carrying(&self, session: &SessionIdentity) -> Arc<tokio::sync::Mutex<()>> {
        let mut all = self.carrying.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(session.clone()).or_default())
    }
}

impl Handler for PlanBuilder {
    type Machine = Machine;

    fn effect<'a>(&'a self, at: &'a Conversation<'a>, effect: Effect) -> ContentFuture<'a> {
        Box::pin(async move {
            Ok(match effect {
                Effect::ApprovalNeeded { plan, token } => at.card(&plan, &token).await?,
                Effect::StartExecution { plan, .. } => {
                    // The state of the plan already records the execution, and the steps follow. If the plan is still
                    // approved, the effect comes from an older version, which did not store the execution.
                    let stored = find::<Machine>(at, &plan).await?;
                    let lost = stored.is_some_and(|plan| plan.state == State::Approved);
                    let again = format!("`/plan execute {plan}` carries out the plan.");
                    lost.then_some(Content::Notice(again)).into_iter().collect()
                }
                Effect::ExecutionStopped { plan, .. } => {
                    let stored = find::<Machine>(at, &plan).await?;
                    let steps = stored.as_ref().map_or(&[][..], |plan| &plan.data.steps);
                    vec![stopped(&plan, steps)]
                }
                Effect::ExecutionOver { plan, outcome } if outcome == "completed" => {
                    vec![Content::Notice(format!("The plan {plan} was carried out."))]
                }
                Effect::PlanExpired { plan } => vec![Content::Notice(format!(
                    "The approval of {plan} has expired. Ask the model to submit the plan again; `/plan reject {plan}` rejects it."
                ))],
                // Only a person can approve, reject or cancel, and that person gets the plan's
                // reply.
                Effect::PlanApproved { .. }
                | Effect::PlanRejected { .. }
                | Effect::ExecutionOver { .. } => Vec::new(),
            })
        })
    }
}

impl Attendant for PlanBuilder {
    fn before_line<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        Box::pin(async move {
            let carrying = self.carrying(at.session.identity());
            execution::stop_unattended(at, &carrying).await
        })
    }

    fn after_command<'a>(&'a self, at: &'a Conversation<'a>, _: &'a str) -> ContentFuture<'a> {
        Box::pin(async move {
            let carrying = self.carrying(at.session.identity());
            execution::carry_out(at, &carrying).await
        })
    }

    fn message<'a>(&'a self, at: &'a Conversation<'a>, text: &'a str) -> Option<ContentFuture<'a>> {
        Some(Box::pin(planner::turn(at, text)))
    }

    fn reset<'a>(&'a self, at: &'a Conversation<'a>) -> Option<ContentFuture<'a>> {
        Some(Box::pin(planner::begin_session(at)))
    }

    fn take_up<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        Box::pin(execution::stop_all(at))
    }

    fn after_take_up<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        Box::pin(async move {
            let mut said = older::report(at).await?;
            // The previous host may have ended before a person could read where the plan has stopped.
            for plan in plans_in(at, State::Stopped).await? {
                said.push(stopped(&plan.id, &plan.data.steps));
            }
            Ok(said)
        })
    }

    fn context(
        &self,
        at: &Conversation<'_>,
        _: Option<&Response>,
        context: EventContext,
    ) -> EventContext {
        context.for_machine::<Machine>(&Context {
            planner_session: Some(planner::session(at)),
        })
    }

    fn invitation(&self) -> Option<(&'static str, &'static str)> {
        Some((
            "Say what to plan: the planner builds the plan, piece by piece.",
            "say what to plan, and the planner builds the plan.",
        ))
    }

    /// Replaces the reply "no plan" with a reply that there is no open plan: rejected and cancelled plans are not in
    /// the list.
    fn reply(&self, reply: &Json) -> Option<Content> {
        let is_empty = reply.as_text() == Some(NO_PLAN);
        is_empty.then(|| Content::Notice("There is no open plan.".to_owned()))
    }

    fn denial(&self, denial: &Denial, line: &str) -> Option<String> {
        (denial.kind == DenialKind::NotAllowed)
            .then(|| denied(denial, line))
            .flatten()
    }

    fn body(&self, held: &SessionPlan) -> String {
        let Ok(plan) = held.plan.typed::<Machine>() else {
            return String::new();
        };
        let data = &plan.data;
        let mut lines = vec![format!("goal: {}\n", one_line(&data.goal))];
        let steps = (1..).zip(&data.steps);
        lines.extend(steps.map(|(number, step)| format!("{number}. {}", line(step))));
        for (key, items) in [
            ("assumptions", &data.assumptions),
            ("risks", &data.risks),
            ("verification", &data.verification),
            ("files", &data.files),
        ] {
            let items: Vec<String> = items
                .iter()
                .map(|item| format!("- {}", one_line(item)))
                .collect();
            if !items.is_empty() {
                lines.push(format!("\n{key}:\n{}", items.join("\n")));
            }
        }
        lines.join("\n")
    }

    fn decisions(&self, held: &SessionPlan) -> Vec<String> {
        let (plan, token) = (&held.plan.id, short_token(&held.plan.token));
        vec![
            format!("/plan approve {plan} {token}"),
            format!("/plan reject {plan} REASON"),
        ]
    }
}

/// Explains why a plan does not accept a command now, and which commands it accepts.
fn denied(denial: &Denial, line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_again = |word: &&&str| word.eq_ignore_ascii_case("again");
    let typed = 2 + words.iter().skip(2).take(1).filter(is_again).count();
    let command = words.get(..typed)?.join(" ");
    let mut states = State::ALL.iter();
    let Some(state) = states.find(|state| state.as_str() == denial.state.as_str()) else {
        return Some(
            "no plan is waiting for a decision; `/plan show` shows the open plans".to_owned(),
        );
    };
    let plan = words.get(typed)?;
    let another = || "ask for another plan".to_owned();
    let (is, next) = match state {
        State::Draft => (
            "is still a draft",
            "ask the planner to submit it".to_owned(),
        ),
        State::Proposal => (
            "is waiting for your decision",
            format!("type `/plan approve {plan}` or `/plan reject {plan} REASON`"),
        ),
        State::Expired => (
            "has expired",
            "ask the planner to submit it again".to_owned(),
        ),
        State::Approved => (
            "is already approved",
            format!("`/plan execute {plan}` carries it out"),
        ),
        State::Executing => (
            "is being carried out",
            format!("`/plan cancel {plan}` cancels the plan"),
        ),
        State::Stopped => (
            "was approved and has stopped",
            format!("`/plan execute {plan}` continues the plan"),
        ),
        State::Completed => (
            "was carried out",
            format!("`/plan execute {plan}` carries out the plan again"),
        ),
        State::Cancelled => ("was cancelled", another()),
        State::Rejected => ("was rejected", another()),
    };
    Some(format!("`{command}` does not apply: {plan} {is}; {next}"))
}

/// Describes where a plan has stopped, and how to resume it.
fn stopped(plan: &Id, steps: &[Step]) -> Content {
    let failed = steps
        .iter()
        .position(|step| step.status == StepStatus::Failed);
    let next = steps
        .iter()
        .position(|step| step.status != StepStatus::Done);
    let place = match (failed, next) {
        (Some(at), _) => {
            let error = steps[at].error.as_deref().unwrap_or_default();
            let again = match steps[at].interrupted {
                None => format!("`/plan execute {plan}` starts this step again"),
                Some(_) => {
                    format!(
                        "The step may have run in part. `/plan execute again {plan}` runs the step again"
                    )
                }
            };
            let error = sentence(&in_a_line(error, QUOTED));
            format!("at step {}: {error} {again}", at + 1)
        }
        (None, Some(at)) => {
            let number = at + 1;
            format!("before step {number}. `/plan execute {plan}` continues the plan")
        }
        (None, None) => format!("after its last step. `/plan execute {plan}` continues the plan"),
    };
    Content::Notice(format!(
        "The plan {plan} has stopped {place}; `/plan cancel {plan}` cancels the plan."
    ))
}
