//! The steps of an approved plan, carried out one by one.

use plan_machine::gate::{StartedCall, Trail};
use plan_machine::machine::PlanView;
use plan_machine::{HostTool, Json, Object};
use plan_machine_sessions::Session;
use plan_specs::plan_mode::{self, Event, event};

use super::{QUOTED, find};
use crate::bot::Bot;
use crate::model::in_a_line;
use crate::outgoing::Said;
use crate::signal::{Signalled, why};
use crate::tools::INTERRUPTED;

impl Bot {
    /// Carries out one recorded call. That it begins is stored first, and only one host has that
    /// accepted: no step is begun twice unnoticed.
    pub(super) async fn step(
        &self,
        session: &Session,
        plan: &str,
        step: i64,
    ) -> Result<Vec<Said>, String> {
        let Some(Recorded { tool, args }) = recorded(session, plan, step).await? else {
            // It was given up just now.
            return Ok(Vec::new());
        };
        self.under_way(session.identity(), Some(plan));
        let started = self.start_step(session, plan, step, HostTool::new(tool.as_str(), args));
        let started = match started.await? {
            StartedCall::Denied(denial) => {
                self.under_way(session.identity(), None);
                return not_begun(session, plan, step, Signalled::Refused(denial)).await;
            }
            StartedCall::Run(call) => Ok(call),
            StartedCall::Withdrawn(denial) => Err(why(&denial)),
        };
        let listed = self.list_work(session.identity(), plan, "EXECUTING");
        // Whoever gave the plan up before it was in the list could not stop it.
        self.stop_given_up(session).await?;
        let ran = match started {
            Ok(_) if listed.stop.is_stopped() => {
                Err("it did not run: the plan was given up".to_owned())
            }
            Ok(call) => self.tools.run_until(&listed.stop, call).await,
            Err(why) => Err(format!("it did not run: {why}")),
        };
        let (signal, key, text) = match &ran {
            Ok(result) => ("step_completed", "result", result),
            Err(error) => ("step_failed", "error", error),
        };
        let mut with = Object::new();
        with.push(key, text.as_str());
        let stored = self.signal(session, "PlanMode", signal, plan, with).await?;
        self.under_way(session.identity(), None);
        let number = step + 1;
        let not_stored = format!("step {number} ran, and the plan did not take what came of it");
        if listed.stop.is_stopped() {
            let said = Said::Notice(format!("Step {number}, `{tool}`, was {INTERRUPTED}."));
            return Ok(self.say(session.identity(), vec![said]));
        }
        let mut said = match ran {
            Ok(result) => vec![Said::Notice(format!(
                "Step {number}, `{tool}`: {}",
                first_line(&result)
            ))],
            Err(error) => failed(number, tool, &error),
        };
        said.extend(stored.report(&not_stored));
        Ok(self.say(session.identity(), said))
    }

    /// Starts a step: it is stored that it began, and its call is confirmed.
    async fn start_step(
        &self,
        session: &Session,
        plan: &str,
        step: i64,
        call: HostTool,
    ) -> Result<StartedCall, String> {
        let around = self.around("host", session.identity(), Trail::default());
        let event = Event::StepStarted(event::StepStarted { step });
        let started = session.start_recorded::<plan_mode::Machine>(plan, event, call, &around);
        let started = started.await.map_err(|error| error.to_string())?;
        Ok(started.answer)
    }

    /// A step whose carrying out was given up half-way, by an interrupt, has failed: the plan stops, and a
    /// person lets it go on.
    pub(super) async fn stop_interrupted(&self, session: &Session) -> Result<Vec<Said>, String> {
        if self.chats.mode(session.identity()).parks("PlanMode") {
            return Ok(Vec::new());
        }
        let Some(plan) = self.under_way(session.identity(), None) else {
            return Ok(Vec::new());
        };
        let Some(plan) = find(session, &plan).await? else {
            return Ok(Vec::new());
        };
        // A step that was not begun yet, or is over, was not interrupted.
        if !steps(&plan).any(|step| has_status(step, "IN_PROGRESS")) {
            return Ok(Vec::new());
        }
        let mut with = Object::new();
        with.push("reason", INTERRUPTED);
        let id = plan.id.as_str();
        let stopped = self.signal(session, "PlanMode", "restarted", id, with);
        let refused = stopped.await?.report("the interrupted plan did not stop");
        Ok(refused.into_iter().collect())
    }

    /// What a restart finds being carried out does not run any more: the plan stops, and a person lets
    /// it go on. A run is not taken up again.
    pub(crate) async fn recover(&self, session: &Session) -> Result<Vec<Said>, String> {
        let mut said = self.stop_steps(session).await?;
        let runs = self.stop(session, "AutoRun", "running", "interrupted");
        said.extend(runs.await?);
        Ok(said)
    }

    /// Stops a plan whose steps nobody carries out.
    pub(crate) async fn stop_steps(&self, session: &Session) -> Result<Vec<Said>, String> {
        // Whoever carries steps out has the hands.
        let hands = self.hands(session.identity());
        let _one = hands.lock().await;
        let mut said = self
            .stop(session, "PlanMode", "EXECUTING", "restarted")
            .await?;
        let built = self.stop(session, "PlanBuilder", "executing", "restarted");
        said.extend(built.await?);
        Ok(said)
    }

    async fn stop(
        &self,
        session: &Session,
        machine: &str,
        state: &str,
        signal: &str,
    ) -> Result<Vec<Said>, String> {
        let mut said = Vec::new();
        let plans = session.plans().await.map_err(|error| error.to_string())?;
        let going_on = plans
            .iter()
            .filter(|held| held.machine == machine && held.plan.state == state);
        for held in going_on {
            let plan = held.plan.id.as_str();
            let stopped = self.signal(session, machine, signal, plan, Object::new());
            // Somebody may have ended it since it was looked up.
            said.extend((stopped.await?).report_unless_over(&format!("{plan} did not stop")));
        }
        Ok(said)
    }
}

/// Reports a step that is due and could not be begun. One that somebody else has begun, or that is not due any more,
/// is none: its effect was delivered again.
async fn not_begun(
    session: &Session,
    plan: &str,
    step: i64,
    refused: Signalled,
) -> Result<Vec<Said>, String> {
    let plan = find(session, plan).await?;
    let plan = plan.filter(|plan| plan.state == "EXECUTING");
    let at = usize::try_from(step).ok();
    let due = plan.as_ref().and_then(|plan| steps(plan).nth(at?));
    if !due.is_some_and(|step| has_status(step, "PENDING")) {
        return Ok(Vec::new());
    }
    let refused = refused.report(&format!("step {} was not begun", step + 1));
    Ok(refused.into_iter().collect())
}

/// The steps of a plan, as they are stored.
fn steps(plan: &PlanView) -> impl Iterator<Item = &Json> {
    let steps = plan.data.get("steps").and_then(Json::as_list);
    steps.unwrap_or_default().iter()
}

fn has_status(step: &Json, status: &str) -> bool {
    let found = step.as_object().and_then(|step| step.get("status"));
    found.and_then(Json::as_text) == Some(status)
}

/// The call that was recorded as a step.
struct Recorded {
    tool: String,
    args: Object,
}

async fn recorded(session: &Session, plan: &str, step: i64) -> Result<Option<Recorded>, String> {
    let Some(plan) = find(session, plan).await? else {
        return Ok(None);
    };
    let steps = plan.data.get("steps").and_then(Json::as_list);
    let step = usize::try_from(step)
        .ok()
        .and_then(|at| steps?.get(at)?.as_object());
    Ok(step.and_then(|step| {
        let args = step.get("args").and_then(Json::as_object);
        Some(Recorded {
            tool: step.get("tool").and_then(Json::as_text)?.to_owned(),
            args: args.cloned().unwrap_or_default(),
        })
    }))
}

/// A step that failed, and what its tool printed.
fn failed(number: i64, tool: String, error: &str) -> Vec<Said> {
    let (why, printed) = error.split_once('\n').unwrap_or((error, ""));
    let why = in_a_line(why, QUOTED);
    let mut said = vec![Said::Error(format!(
        "step {number}, `{tool}`, failed: {why}"
    ))];
    if !printed.trim().is_empty() {
        let text = printed.to_owned();
        said.push(Said::Output { from: tool, text });
    }
    said
}

/// Enough of a result to see what it was.
pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(100).collect();
    if short.len() < text.trim_end().len() {
        short.push('…');
    }
    short
}
