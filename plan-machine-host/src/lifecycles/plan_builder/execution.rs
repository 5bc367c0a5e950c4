//! Executes approved plans one step at a time: each step is a turn of the model.
//!
//! The plan itself records the progress of its execution: a step is claimed before it starts, and completed or failed
//! afterwards. A failed or interrupted step is claimed again only if a person asks for it.

use plan_machine::Id;
use plan_specs::plan_builder::types::StepStatus;
use plan_specs::plan_builder::{Event, Machine, State, event};
use tokio::sync::Mutex;

use super::older;
use super::plans::{claim, line, plans_in, stop};
use crate::error::HostError;
use crate::host::Conversation;
use crate::outgoing::Content;
use crate::tools::INTERRUPTED;
use crate::words::{QUOTED, in_a_line, short};

/// The maximum number of characters of a step's result that a plan stores.
const LONGEST: usize = 4000;

/// A step to carry out.
struct Due {
    plan: Id,
    /// The index of the step, counted from 0.
    step: usize,
    /// The number of steps in the plan.
    of: usize,
    task: String,
    /// How many times the step was claimed before.
    attempts: i64,
}

/// Carries out the plans that a person has asked to execute, step by step, until no step is left or a step fails.
pub(super) async fn carry_out(
    at: &Conversation<'_>,
    carrying: &Mutex<()>,
) -> Result<Vec<Content>, HostError> {
    // Another task is already carrying out steps, and will carry out these steps as well.
    let Ok(_one) = carrying.try_lock() else {
        return Ok(Vec::new());
    };
    let mut said = older::take_over(at).await?;
    while let Some(due) = due(at).await? {
        if !carry_out_step(at, &due, &mut said).await? {
            break;
        }
    }
    Ok(said)
}

/// Stops the plans with an interrupted step, that is, a claimed step that is not in progress. A person can resume them.
pub(super) async fn stop_unattended(
    at: &Conversation<'_>,
    carrying: &Mutex<()>,
) -> Result<Vec<Content>, HostError> {
    let Ok(_one) = carrying.try_lock() else {
        return Ok(Vec::new());
    };
    let mut said = Vec::new();
    for plan in plans_in(at, State::Executing).await? {
        let mut steps = plan.data.steps.iter();
        if steps.any(|step| step.status == StepStatus::Claimed) {
            let stopped = stop(at, &plan.id, Some(INTERRUPTED)).await?;
            said.extend(stopped.report(&format!("{} did not stop", plan.id)));
        }
    }
    Ok(said)
}

/// Stops the plans whose steps are no longer being carried out.
pub(super) async fn stop_all(at: &Conversation<'_>) -> Result<Vec<Content>, HostError> {
    let mut said = Vec::new();
    for plan in plans_in(at, State::Executing).await? {
        let stopped = stop(at, &plan.id, None).await?;
        // The plan may have ended since it was looked up.
        said.extend(stopped.report_unless_over(&format!("{} did not stop", plan.id)));
    }
    Ok(said)
}

/// Carries out one step; returns whether the next step may follow.
async fn carry_out_step(
    at: &Conversation<'_>,
    due: &Due,
    said: &mut Vec<Content>,
) -> Result<bool, HostError> {
    let Due { plan, step, of, .. } = due;
    let number = step + 1;
    let claimed = claim(at, plan, *step).await?;
    if !claimed.is_accepted() {
        // Another host has claimed the step, or the plan was just cancelled.
        said.extend(claimed.report_unless_over(&format!("step {number} was not started")));
        return Ok(false);
    }
    let attempt = match due.attempts {
        0 => String::new(),
        before => format!(", attempt {}", before + 1),
    };
    let task = in_a_line(&due.task, QUOTED);
    let begins = Content::Notice(format!("Step {number} of {of}{attempt}, {task}"));
    said.extend(at.say(vec![begins]));
    let entry = at.enter_work::<Machine>(plan.as_str(), State::Executing);
    // If the plan was cancelled before the work was added to the list of work, the work has not been stopped yet.
    at.stop_given_up().await?;
    let mut work = at.work(&format!("{}#{plan}", at.session.identity()), said)?;
    work.stop = entry.stop.clone();
    let asked = format!(
        "Carry out step {number} of the approved plan {plan}{attempt}, and report the result. If the step cannot be done, answer `FAILED: …`. The step: {}",
        due.task
    );
    let turn = at.turn(&mut work, &asked).await?;
    let result = result(&turn);
    said.extend(at.say(turn));
    if entry.stop.is_stopped() {
        let ended = Content::Notice(format!("Step {number} of {plan} was {INTERRUPTED}."));
        said.extend(at.say(vec![ended]));
        return Ok(false);
    }
    let stored = match &result {
        Ok(text) => Event::StepDone(event::StepDone {
            result: short(text, LONGEST),
        }),
        Err(error) => Event::StepFailed(event::StepFailed {
            error: short(error, LONGEST),
        }),
    };
    let stored = at.signal::<Machine>(plan, stored).await?;
    let not_stored = format!("step {number} ran, but {plan} did not accept the result");
    said.extend(stored.report(&not_stored));
    said.extend(at.effects().await?);
    Ok(result.is_ok())
}

/// Returns the result of a step, from the content that the model and the host produced.
fn result(turn: &[Content]) -> Result<String, String> {
    let mut words = String::new();
    for said in turn {
        match said {
            Content::Error(error) => return Err(error.clone()),
            Content::Model(text) => words.clone_from(text),
            _ => {}
        }
    }
    match words.strip_prefix("FAILED:") {
        Some(why) => Err(why.trim().to_owned()),
        None => Ok(words),
    }
}

/// Returns the next step of the first plan that is being carried out.
async fn due(at: &Conversation<'_>) -> Result<Option<Due>, HostError> {
    for plan in plans_in(at, State::Executing).await? {
        let steps = &plan.data.steps;
        let is = |status: StepStatus| steps.iter().position(|step| step.status == status);
        let next = is(StepStatus::Pending).filter(|_| is(StepStatus::Claimed).is_none());
        if let Some(step) = next {
            return Ok(Some(Due {
                plan: plan.id.clone(),
                step,
                of: steps.len(),
                task: line(&steps[step]),
                attempts: steps[step].attempts,
            }));
        }
    }
    Ok(None)
}
