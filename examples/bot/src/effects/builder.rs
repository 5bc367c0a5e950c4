//! Approved plans of the builder, carried out one step at a time: each step is a turn of the model.
//!
//! How far an execution is stands in a file of its own, written before a step begins and after it is done:
//! a step that was interrupted is begun again only where a person says so, and none is left out.

use std::path::PathBuf;

use plan_machine::Json;
use plan_machine::gate::Trail;
use plan_machine::machine::PlanView;
use plan_machine::session::Session;

use crate::bot::Bot;
use crate::disk;
use crate::outgoing::Said;
use crate::planning::folder_name;
use crate::turn::Work;

/// How far an execution is. Steps are counted from 0.
enum Progress {
    /// This step is next.
    Before(usize),
    /// This step was begun, and nobody knows how it ended.
    In(usize),
}

impl Bot {
    /// A person wants a plan carried out: from its first step, or from the one at which it has stopped.
    pub(super) fn begin_execution(&self, session: &Session, plan: &str) -> Result<(), String> {
        let next = match self.progress(session, plan)? {
            Some(Progress::Before(step) | Progress::In(step)) => step,
            None => 0,
        };
        self.set_progress(session, plan, &Progress::Before(next))
    }

    /// Carries out the plans that have begun, step by step, until one of the steps fails.
    pub(crate) async fn carry_out(
        &self,
        session: &Session,
        trail: &Trail,
    ) -> Result<Vec<Said>, String> {
        let mut said = Vec::new();
        for plan in built(session).await? {
            let id = plan.id.as_str();
            // What cannot be read is told to whoever wants it carried out, and holds nothing else up.
            let Ok(Some(Progress::Before(next))) = self.progress(session, id) else {
                continue;
            };
            let steps = steps(&plan);
            for (step, task) in steps.iter().enumerate().skip(next) {
                self.set_progress(session, id, &Progress::In(step))?;
                let number = step + 1;
                let begins = Said::Notice(format!("Step {number} of {}, {task}", steps.len()));
                said.extend(self.say(session.identity(), vec![begins]));
                let name = format!("{}#{id}", session.identity());
                let listed = self.list_work(session.identity(), id, &plan.state);
                let mut work = Work {
                    session,
                    history: self.history(&name)?,
                    memories: self.memories(session.identity()),
                    trail: trail.clone(),
                    stop: listed.stop.clone(),
                };
                let asked = format!(
                    "Carry out step {number} of the approved plan {id}, and say what came of it; answer `FAILED: …` where it cannot be done: {task}"
                );
                let turn = self.turn(&mut work, &asked).await?;
                let failed = turn.iter().any(|said| match said {
                    Said::Error(_) => true,
                    Said::Model(text) => text.starts_with("FAILED:"),
                    _ => false,
                });
                said.extend(self.say(session.identity(), turn));
                if failed || work.stop.is_stopped() {
                    said.push(stopped(id, step));
                    return Ok(said);
                }
                self.set_progress(session, id, &Progress::Before(number))?;
            }
            disk::remove(&self.execution(session, id))?;
            said.push(Said::Notice(format!("The plan {id} was carried out.")));
        }
        Ok(said)
    }

    /// The executions that a restart finds in the middle of a step.
    pub(crate) async fn interrupted(&self, session: &Session) -> Result<Vec<Said>, String> {
        let mut said = Vec::new();
        for plan in built(session).await? {
            let id = plan.id.as_str();
            if let Some(Progress::In(step)) = self.progress(session, id)? {
                said.push(stopped(id, step));
            }
        }
        Ok(said)
    }

    /// How far a plan is, if it is being carried out. What cannot be read is told: to begin again would repeat
    /// steps.
    fn progress(&self, session: &Session, plan: &str) -> Result<Option<Progress>, String> {
        let file = self.execution(session, plan);
        let text = disk::read(&file)?;
        let (how, step) = match text.trim().split_once(' ') {
            None if text.is_empty() => return Ok(None),
            None => ("", ""),
            Some(pair) => pair,
        };
        match (how, step.parse()) {
            ("before", Ok(step)) => Ok(Some(Progress::Before(step))),
            ("in", Ok(step)) => Ok(Some(Progress::In(step))),
            _ => Err(format!(
                "`{}` does not say which step is next",
                file.display()
            )),
        }
    }

    fn set_progress(
        &self,
        session: &Session,
        plan: &str,
        progress: &Progress,
    ) -> Result<(), String> {
        let text = match progress {
            Progress::Before(step) => format!("before {step}\n"),
            Progress::In(step) => format!("in {step}\n"),
        };
        disk::write(&self.execution(session, plan), &text)
    }

    /// The file that says how far an execution is.
    fn execution(&self, session: &Session, plan: &str) -> PathBuf {
        let name = folder_name(&format!("{}#{plan}", session.identity()));
        self.data.join("executions").join(name)
    }
}

fn stopped(plan: &str, step: usize) -> Said {
    Said::Notice(format!(
        "The plan {plan} has stopped in step {}. `/plan execute {plan}` begins this step again.",
        step + 1
    ))
}

/// The plans of the builder.
async fn built(session: &Session) -> Result<Vec<PlanView>, String> {
    let plans = session.plans().await.map_err(|error| error.to_string())?;
    let built = plans
        .into_iter()
        .filter(|held| held.machine == "PlanBuilder");
    Ok(built.map(|held| held.plan).collect())
}

/// Who shall do what, step by step.
fn steps(plan: &PlanView) -> Vec<String> {
    let steps = plan.data.get("steps").and_then(Json::as_list);
    let steps = steps.unwrap_or_default().iter();
    steps.map(super::step_line).collect()
}
