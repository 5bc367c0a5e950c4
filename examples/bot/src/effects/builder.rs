//! Approved plans of the builder, carried out one step at a time: each step is a turn of the model.
//!
//! The plan itself records the progress of its execution: a step is claimed before it begins, and done or failed
//! afterwards. What failed or was interrupted is claimed again only where a person says so.

mod older;

use plan_machine::gate::Trail;
use plan_machine::machine::PlanView;
use plan_machine::{Json, Object};
use plan_machine_sessions::Session;

use super::{QUOTED, find};
use crate::bot::Bot;
use crate::model::{in_a_line, short};
use crate::outgoing::Said;
use crate::tools::INTERRUPTED;
use crate::turn::Work;

/// The machine of these plans.
const BUILDER: &str = "PlanBuilder";

/// The state in which their steps are carried out.
const EXECUTING: &str = "executing";

/// How many characters of what came of a step a plan keeps.
const LONGEST: usize = 4000;

/// A step that is to be carried out.
struct Due {
    plan: String,
    /// Counted from 0.
    step: usize,
    /// How many steps the plan has.
    of: usize,
    task: String,
    /// How often it was claimed before.
    attempts: i64,
}

impl Bot {
    /// Carries out the plans that a person wants carried out, step by step, until none has a step left or one fails.
    pub(crate) async fn carry_out(
        &self,
        session: &Session,
        trail: &Trail,
    ) -> Result<Vec<Said>, String> {
        let carrying = self.carrying(session.identity());
        // Whoever carries steps out goes on with these as well.
        let Ok(_one) = carrying.try_lock() else {
            return Ok(Vec::new());
        };
        let mut said = self.take_over(session).await?;
        while let Some(due) = due(session).await? {
            let goes_on = self.carry_out_step(session, trail, &due, &mut said).await?;
            if !goes_on {
                break;
            }
        }
        Ok(said)
    }

    /// Carries out one step; whether the next may follow.
    async fn carry_out_step(
        &self,
        session: &Session,
        trail: &Trail,
        due: &Due,
        said: &mut Vec<Said>,
    ) -> Result<bool, String> {
        let Due { plan, step, of, .. } = due;
        let number = step + 1;
        let claimed = self.claim(session, plan, *step).await?;
        if !claimed.is_accepted() {
            // Another host has it, or the plan was given up just now.
            said.extend(claimed.report_unless_over(&format!("step {number} was not begun")));
            return Ok(false);
        }
        let attempt = match due.attempts {
            0 => String::new(),
            before => format!(", attempt {}", before + 1),
        };
        let task = in_a_line(&due.task, QUOTED);
        let begins = Said::Notice(format!("Step {number} of {of}{attempt}, {task}"));
        said.extend(self.say(session.identity(), vec![begins]));
        let listed = self.list_work(session.identity(), plan, EXECUTING);
        // Whoever gave the plan up before it was in the list could not stop it.
        self.stop_given_up(session).await?;
        let mut work = Work {
            session,
            history: self.history(&format!("{}#{plan}", session.identity()))?,
            memories: self.memories(session.identity(), said),
            notes: Vec::new(),
            trail: trail.clone(),
            stop: listed.stop.clone(),
        };
        let asked = format!(
            "Carry out step {number} of the approved plan {plan}{attempt}, and say what came of it; answer `FAILED: …` where it cannot be done: {}",
            due.task
        );
        let turn = self.turn(&mut work, &asked).await?;
        let result = result(&turn);
        said.extend(self.say(session.identity(), turn));
        if listed.stop.is_stopped() {
            let ended = Said::Notice(format!("Step {number} of {plan} was {INTERRUPTED}."));
            said.extend(self.say(session.identity(), vec![ended]));
            return Ok(false);
        }
        let (signal, key, text) = match &result {
            Ok(text) => ("step_done", "result", text),
            Err(error) => ("step_failed", "error", error),
        };
        let with = Object::from_iter([(key, short(text, LONGEST))]);
        let stored = self.signal(session, BUILDER, signal, plan.as_str(), with);
        let not_stored = format!("step {number} ran, and {plan} did not take what came of it");
        said.extend(stored.await?.report(&not_stored));
        said.extend(self.effects(session).await?);
        Ok(result.is_ok())
    }

    /// Claims a step, so that nobody else carries it out.
    async fn claim(
        &self,
        session: &Session,
        plan: &str,
        step: usize,
    ) -> Result<crate::signal::Signalled, String> {
        let step = i64::try_from(step).map_err(|error| error.to_string())?;
        let which = Object::from_iter([("step", step)]);
        self.signal(session, BUILDER, "step_claimed", plan, which)
            .await
    }

    /// A claimed step that nobody carries out was interrupted: the plan stops, and a person lets it go on.
    pub(crate) async fn stop_unattended(&self, session: &Session) -> Result<Vec<Said>, String> {
        let carrying = self.carrying(session.identity());
        let Ok(_one) = carrying.try_lock() else {
            return Ok(Vec::new());
        };
        let mut said = Vec::new();
        for plan in built(session, EXECUTING).await? {
            if steps(&plan).any(|step| status(step) == "claimed") {
                let with = Object::from_iter([("reason", INTERRUPTED)]);
                let stopped = self.signal(session, BUILDER, "restarted", plan.id.as_str(), with);
                said.extend(stopped.await?.report(&format!("{} did not stop", plan.id)));
            }
        }
        Ok(said)
    }
}

/// Where a plan has stopped, and what leads on.
pub(super) async fn stopped(session: &Session, plan: &str) -> Result<Said, String> {
    let stored = find(session, plan).await?;
    let steps: Vec<&Json> = stored.as_ref().map(steps).into_iter().flatten().collect();
    let failed = steps.iter().position(|step| status(step) == "failed");
    let next = steps.iter().position(|step| status(step) != "done");
    let place = match (failed, next) {
        (Some(at), _) => {
            let error = in_a_line(text(steps[at], "error"), QUOTED);
            let again = if text(steps[at], "interrupted").is_empty() {
                format!("`/plan execute {plan}` begins this step again")
            } else {
                format!("It may have run in part. `/plan execute again {plan}` runs it again")
            };
            format!("in step {}: {error}. {again}", at + 1)
        }
        (None, Some(at)) => {
            let number = at + 1;
            format!("before step {number}. `/plan execute {plan}` goes on with it")
        }
        (None, None) => format!("`/plan execute {plan}` goes on"),
    };
    Ok(Said::Notice(format!(
        "The plan {plan} has stopped {place}, `/plan cancel {plan}` gives it up."
    )))
}

/// What came of a step, by what the model and the bot said of it.
fn result(turn: &[Said]) -> Result<String, String> {
    let mut words = String::new();
    for said in turn {
        match said {
            Said::Error(error) => return Err(error.clone()),
            Said::Model(text) => words.clone_from(text),
            _ => {}
        }
    }
    match words.strip_prefix("FAILED:") {
        Some(why) => Err(why.trim().to_owned()),
        None => Ok(words),
    }
}

/// The next step of the first plan that is being carried out.
async fn due(session: &Session) -> Result<Option<Due>, String> {
    for plan in built(session, EXECUTING).await? {
        let all: Vec<&Json> = steps(&plan).collect();
        let next = all.iter().position(|step| status(step) == "pending");
        if let Some(step) = next.filter(|_| !all.iter().any(|step| status(step) == "claimed")) {
            let found = all[step].as_object();
            let attempts = found.and_then(|step| step.get("attempts")?.as_int());
            return Ok(Some(Due {
                plan: plan.id.to_string(),
                step,
                of: all.len(),
                task: super::step_line(all[step]),
                attempts: attempts.unwrap_or_default(),
            }));
        }
    }
    Ok(None)
}

/// The plans of the builder in a state.
async fn built(session: &Session, state: &str) -> Result<Vec<PlanView>, String> {
    let plans = session.plans().await.map_err(|error| error.to_string())?;
    let built = plans
        .into_iter()
        .filter(|held| held.machine == BUILDER && held.plan.state == state);
    Ok(built.map(|held| held.plan).collect())
}

fn steps(plan: &PlanView) -> impl Iterator<Item = &Json> {
    let steps = plan.data.get("steps").and_then(Json::as_list);
    steps.unwrap_or_default().iter()
}

fn status(step: &Json) -> &str {
    text(step, "status")
}

fn text<'s>(step: &'s Json, key: &str) -> &'s str {
    let found = step.as_object().and_then(|step| step.get(key));
    found.and_then(Json::as_text).unwrap_or_default()
}
