//! Executions that were left behind by an older version, which stored their progress in text files.
//!
//! When a person executes such a plan, it continues with the next step. The earlier steps are recorded in the plan as
//! done, and the file is removed.

use std::path::PathBuf;

use plan_machine::Id;
use plan_specs::plan_builder::types::StepStatus;
use plan_specs::plan_builder::{Event, Machine, State, event};

use super::plans::{claim, plans_in, stop};
use crate::disk;
use crate::error::HostError;
use crate::host::Conversation;
use crate::outgoing::Content;

/// Reports the executions that an older version left behind, so that a person can resume them.
pub(super) async fn report(at: &Conversation<'_>) -> Result<Vec<Content>, HostError> {
    let mut said = Vec::new();
    for plan in plans_in(at, State::Approved).await? {
        let id = &plan.id;
        said.extend(match progress(at, id) {
            Ok(None) => None,
            Ok(Some(next)) => Some(Content::Notice(format!(
                "The plan {id} has stopped before step {}. `/plan execute {id}` continues the plan.",
                next + 1
            ))),
            Err(error) => Some(Content::Error(error.to_string())),
        });
    }
    Ok(said)
}

/// Records the steps that an older version carried out, for the plans that a person has asked to execute. A plan whose
/// file cannot be read is stopped: starting it from the first step would repeat steps.
pub(super) async fn take_over(at: &Conversation<'_>) -> Result<Vec<Content>, HostError> {
    let mut said = Vec::new();
    for plan in plans_in(at, State::Executing).await? {
        let id = &plan.id;
        let next = match progress(at, id) {
            Ok(None) => continue,
            Ok(Some(next)) => next,
            Err(error) => {
                said.push(Content::Error(error.to_string()));
                let stopped = stop(at, id, None).await?;
                said.extend(stopped.report(&format!("{id} did not stop")));
                said.extend(at.effects().await?);
                continue;
            }
        };
        let done = plan.data.steps.iter().enumerate().take(next);
        for (step, _) in done.filter(|(_, step)| step.status == StepStatus::Pending) {
            let unknown = format!("step {} could not be recorded as done", step + 1);
            said.extend(claim(at, id, step).await?.report(&unknown));
            let done = Event::StepDone(event::StepDone {
                result: "carried out by an older version".to_owned(),
            });
            said.extend(at.signal::<Machine>(id, done).await?.report(&unknown));
        }
        disk::remove(&file(at, id))?;
        said.extend(at.effects().await?);
    }
    Ok(said)
}

/// Returns the step, counted from 0, that an older version would have started next.
fn progress(at: &Conversation<'_>, plan: &Id) -> Result<Option<usize>, HostError> {
    let file = file(at, plan);
    let text = disk::read(&file)?;
    if text.is_empty() {
        return Ok(None);
    }
    let step = text.trim().split_once(' ').and_then(|(how, step)| {
        let step = step.parse().ok()?;
        ["before", "in"].contains(&how).then_some(step)
    });
    step.map(Some).ok_or_else(|| {
        HostError::input(format!(
            "`{}` does not say which step is next; remove the file to start with the first step",
            file.display()
        ))
    })
}

fn file(at: &Conversation<'_>, plan: &Id) -> PathBuf {
    let name = disk::folder_name(&format!("{}#{plan}", at.session.identity()));
    at.host.data.join("executions").join(name)
}
