//! Executions that an older version of the bot left: it kept in a text file how far each was.
//!
//! A person who has such a plan carried out goes on with the step that was next. The steps before it are entered
//! into the plan as done, and the file goes.

use std::path::PathBuf;

use plan_machine::Object;
use plan_machine_sessions::Session;

use super::{BUILDER, built, status, steps};
use crate::bot::Bot;
use crate::disk;
use crate::outgoing::Said;
use crate::planning::folder_name;

impl Bot {
    /// Reports the executions that an older version left, for a person to go on with.
    pub(crate) async fn left_by_an_older_version(
        &self,
        session: &Session,
    ) -> Result<Vec<Said>, String> {
        let mut said = Vec::new();
        for plan in built(session, "approved").await? {
            let id = plan.id.as_str();
            said.extend(match self.older_progress(session, id) {
                Ok(None) => None,
                Ok(Some(next)) => Some(Said::Notice(format!(
                    "The plan {id} has stopped before step {}. `/plan execute {id}` goes on with it.",
                    next + 1
                ))),
                Err(error) => Some(Said::Error(error)),
            });
        }
        Ok(said)
    }

    /// Enters the steps that an older version carried out into the plans that a person wants carried out now. A plan
    /// whose file cannot be read stops: to begin it again would repeat steps.
    pub(super) async fn take_over(&self, session: &Session) -> Result<Vec<Said>, String> {
        let mut said = Vec::new();
        for plan in built(session, "executing").await? {
            let id = plan.id.as_str();
            let next = match self.older_progress(session, id) {
                Ok(None) => continue,
                Ok(Some(next)) => next,
                Err(error) => {
                    let stopped = self.signal(session, BUILDER, "restarted", id, Object::new());
                    said.push(Said::Error(error));
                    said.extend(stopped.await?.report(&format!("{id} did not stop")));
                    said.extend(self.effects(session).await?);
                    continue;
                }
            };
            let done = steps(&plan).enumerate().take(next);
            for (step, _) in done.filter(|(_, step)| status(step) == "pending") {
                let claimed = self.claim(session, id, step).await?;
                said.extend(claimed.report(&format!("step {} is not known as done", step + 1)));
                let with = Object::from_iter([("result", "carried out by an older version")]);
                let done = self.signal(session, BUILDER, "step_done", id, with);
                said.extend(
                    (done.await?).report(&format!("step {} is not known as done", step + 1)),
                );
            }
            disk::remove(&self.older_file(session, id))?;
            said.extend(self.effects(session).await?);
        }
        Ok(said)
    }

    /// The step, counted from 0, that an older version would have begun next.
    fn older_progress(&self, session: &Session, plan: &str) -> Result<Option<usize>, String> {
        let file = self.older_file(session, plan);
        let text = disk::read(&file)?;
        if text.is_empty() {
            return Ok(None);
        }
        let step = text.trim().split_once(' ').and_then(|(how, step)| {
            let step = step.parse().ok()?;
            ["before", "in"].contains(&how).then_some(step)
        });
        step.map(Some).ok_or_else(|| {
            format!(
                "`{}` does not say which step is next; remove it to begin with the first step",
                file.display()
            )
        })
    }

    fn older_file(&self, session: &Session, plan: &str) -> PathBuf {
        let name = folder_name(&format!("{}#{plan}", session.identity()));
        self.data.join("executions").join(name)
    }
}
