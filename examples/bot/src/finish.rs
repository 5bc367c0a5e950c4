//! The end of work by a plan: the model says that everything in the approved plan is done, with an answer that begins
//! with `DONE:`, and the bot reports it to the plan.

use plan_machine::Object;
use plan_machine_sessions::Session;

use crate::bot::Bot;
use crate::outgoing::Said;

/// The machine of these plans.
const MACHINE: &str = "WorkByPlan";

/// How an answer begins that says so.
const DONE: &str = "DONE:";

impl Bot {
    /// The plan that is being worked by.
    pub(crate) async fn executing(&self, session: &Session) -> Result<Option<String>, String> {
        let plans = session.plans().await.map_err(|error| error.to_string())?;
        let executing = |held: &&plan_machine_sessions::SessionPlan| {
            held.machine == MACHINE && held.plan.state == "EXECUTING"
        };
        let plan = plans.iter().find(executing);
        Ok(plan.map(|held| held.plan.id.to_string()))
    }

    /// Completes the plan that was worked by when the turn began, if the model's last words say that it is done. A
    /// draft that took its place in this turn has not been worked by.
    pub(crate) async fn finish(
        &self,
        session: &Session,
        executing: Option<String>,
        turn: &[Said],
    ) -> Result<Vec<Said>, String> {
        let says_so =
            matches!(turn.last(), Some(Said::Model(text)) if text.trim_start().starts_with(DONE));
        let Some(plan) = executing.filter(|_| says_so) else {
            return Ok(Vec::new());
        };
        let finished = self.signal(session, MACHINE, "finished", plan.as_str(), Object::new());
        let finished = finished.await?;
        if !finished.is_accepted() {
            let refused = finished.report(&format!("the model called {plan} done, and it is not"));
            return Ok(refused.into_iter().collect());
        }
        Ok(vec![Said::Notice(format!(
            "The plan {plan} is completed, as the model says. `/plan on` begins the next one, `/plan done` ends plan work."
        ))])
    }
}
