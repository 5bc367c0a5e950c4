//! Plan mode: the model's calls become steps of a plan, and the steps are carried out one by one
//! after a person has approved the plan.

mod steps;

use plan_machine::gate::EventContext;
use plan_machine::{Id, short_token};
use plan_machine_sessions::SessionPlan;
use plan_specs::plan_mode::types::{Step, StepStatus};
use plan_specs::plan_mode::{Context, Effect, Machine, State};

use super::stored::find;
use crate::host::{Attendant, ContentFuture, Conversation, Handler, one_line};
use crate::model::Response;
use crate::outgoing::Content;
use crate::words::{QUOTED, in_a_line, short};

/// The maximum number of characters of the model's text that a plan stores as its summary; longer
/// text is shortened and ends with an ellipsis.
const SUMMARY: usize = 3999;

/// The handler of `plan_mode`.
#[derive(Debug, Default)]
pub struct PlanMode;

impl Handler for PlanMode {
    type Machine = Machine;

    fn effect<'a>(&'a self, at: &'a Conversation<'a>, effect: Effect) -> ContentFuture<'a> {
        Box::pin(async move {
            match effect {
                Effect::PlanReady { plan, token, .. } => at.card(&plan, &token).await,
                Effect::StepDue { plan, step } => at.step(&plan, step).await,
                Effect::PlanExpired { plan } => Ok(vec![Content::Notice(format!(
                    "The time to approve {plan} has expired. Ask the model to finish the plan again; `/plan cancel` cancels it."
                ))]),
                Effect::PlanStopped { plan, left } => {
                    let plan = find::<Machine>(at, &plan).await?;
                    let steps = plan.as_ref().map_or(&[][..], |plan| &plan.data.steps);
                    Ok(vec![stopped(steps, left)])
                }
                Effect::PlanOver {
                    plan,
                    outcome,
                    failed,
                } => {
                    let over = over(&plan, &outcome, failed.unwrap_or_default());
                    Ok(vec![Content::Notice(over)])
                }
            }
        })
    }
}

impl Attendant for PlanMode {
    fn before_effects<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        Box::pin(at.stop_interrupted())
    }

    fn take_up<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        Box::pin(at.stop_steps())
    }

    /// Reports where a plan has stopped: the previous host may have ended before a person could read its report.
    fn after_take_up<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        Box::pin(async move {
            let plans = at.session.plans_of::<Machine>().await?;
            let waiting = plans
                .iter()
                .filter(|plan| plan.state == State::PartiallyCompleted);
            let said = waiting.map(|plan| {
                let steps = &plan.data.steps;
                let is_left =
                    |step: &&Step| matches!(step.status, StepStatus::Pending | StepStatus::Failed);
                let left = steps.iter().filter(is_left).count();
                stopped(steps, i64::try_from(left).unwrap_or(i64::MAX))
            });
            Ok(said.collect())
        })
    }

    /// Uses the text that accompanies the calls as the plan's summary if the finalizing call has no summary.
    fn context(
        &self,
        _: &Conversation<'_>,
        response: Option<&Response>,
        context: EventContext,
    ) -> EventContext {
        let text = response.map(|response| response.text.trim());
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return context;
        };
        context.for_machine::<Machine>(&Context {
            response_text: Some(short(text, SUMMARY)),
        })
    }

    fn invitation(&self) -> Option<(&'static str, &'static str)> {
        Some(("Say something to the model.", "/plan on starts a plan."))
    }

    fn body(&self, held: &SessionPlan) -> String {
        let Ok(plan) = held.plan.typed::<Machine>() else {
            return String::new();
        };
        let mut lines = Vec::new();
        if let Some(summary) = &plan.data.summary {
            lines.push(format!("summary: {}\n", one_line(summary)));
        }
        if !plan.data.stop_on_failure {
            lines.push("stop on failure: off\n".to_owned());
        }
        let steps = (1..).zip(&plan.data.steps);
        lines.extend(steps.map(|(number, step)| format!("{number}. {}", line(step))));
        lines.join("\n")
    }

    fn decisions(&self, held: &SessionPlan) -> Vec<String> {
        let (plan, token) = (&held.plan.id, short_token(&held.plan.token));
        vec![
            format!("/plan approve {plan} {token}"),
            format!("/plan cancel {plan}"),
        ]
    }
}

/// Describes how a plan ended.
fn over(plan: &Id, outcome: &str, failed: i64) -> String {
    let steps = match failed {
        1 => "1 step".to_owned(),
        failed => format!("{failed} steps"),
    };
    let mut states = State::ALL.iter();
    match (states.find(|state| state.as_str() == outcome), failed) {
        (Some(State::Completed), 0) => format!("Plan {plan} is complete."),
        (Some(State::Completed), _) => {
            format!("Plan {plan} is complete, although {steps} failed.")
        }
        (_, 0) => format!("The plan {plan} is cancelled."),
        // The plan no longer exists, so it is unknown which of its steps failed and which was interrupted.
        (_, _) => {
            format!("The plan {plan} is cancelled; {steps} had failed or had been interrupted.")
        }
    }
}

/// Describes where a plan has stopped, and how to resume it. An interrupted step may have had effects.
fn stopped(steps: &[Step], left: i64) -> Content {
    let all = || (1..).zip(steps);
    let interrupted = all().find(|(_, step)| step.interrupted.is_some());
    let failed = all()
        .filter(|(_, step)| step.status == StepStatus::Failed)
        .last();
    let left = match left {
        1 => "1 step is left".to_owned(),
        left => format!("{left} steps are left"),
    };
    let cancel = "`/plan cancel` cancels the plan";
    Content::Notice(match (interrupted, failed) {
        (Some((number, step)), _) => format!(
            "The plan has stopped at step {number}, `{}`, which was interrupted and may have run in part; {left}. `/plan resume again` runs the step again; {cancel}.",
            in_a_line(&line(step), QUOTED)
        ),
        (None, Some((number, _))) => format!(
            "The plan has stopped at step {number}, which failed; {left}. `/plan resume` retries the step; {cancel}."
        ),
        (None, None) => {
            format!("The plan has stopped; {left}. `/plan resume` continues the plan; {cancel}.")
        }
    })
}

/// Formats a step on one line.
fn line(step: &Step) -> String {
    format!("{} {}", one_line(&step.tool), step.args)
}
