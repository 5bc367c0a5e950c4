//! The steps of an approved plan, carried out one by one.

use plan_machine::session::Session;
use plan_machine::{Json, Object};

use super::find;
use crate::bot::Bot;
use crate::outgoing::Said;
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
        let mut which = Object::new();
        which.push("step", step);
        self.under_way(session.identity(), Some(plan));
        if !self
            .signal(session, "PlanMode", "step_started", plan, which)
            .await?
        {
            self.under_way(session.identity(), None);
            return Ok(Vec::new());
        }
        let Some(Recorded { tool, args, state }) = recorded(session, plan, step).await? else {
            // It was given up just now.
            self.under_way(session.identity(), None);
            return Ok(Vec::new());
        };
        let listed = self.list_work(session.identity(), plan, &state);
        // Whoever gave the plan up before it was in the list could not stop it.
        self.stop_given_up(session).await?;
        let ran = self.tools.run_until(&listed.stop, &tool, &args).await;
        let (signal, key, text) = match &ran {
            Ok(result) => ("step_completed", "result", result),
            Err(error) => ("step_failed", "error", error),
        };
        let mut with = Object::new();
        with.push(key, text.as_str());
        self.signal(session, "PlanMode", signal, plan, with).await?;
        self.under_way(session.identity(), None);
        let number = step + 1;
        if listed.stop.is_stopped() {
            let said = Said::Notice(format!("Step {number}, `{tool}`, was {INTERRUPTED}."));
            return Ok(self.say(session.identity(), vec![said]));
        }
        let said = match ran {
            Ok(result) => Said::Notice(format!("Step {number}, `{tool}`: {}", first_line(&result))),
            Err(error) => Said::Error(format!("step {number}, `{tool}`, failed: {error}")),
        };
        Ok(self.say(session.identity(), vec![said]))
    }

    /// A step whose carrying out was given up half-way, by an interrupt, has failed: the plan stops, and a
    /// person lets it go on.
    pub(super) async fn stop_interrupted(&self, session: &Session) -> Result<(), String> {
        if self.chats.mode(session.identity()).parks("PlanMode") {
            return Ok(());
        }
        let Some(plan) = self.under_way(session.identity(), None) else {
            return Ok(());
        };
        let mut with = Object::new();
        with.push("reason", INTERRUPTED);
        // Where it was not begun yet, or is over, there is nothing to stop.
        self.signal(session, "PlanMode", "restarted", &plan, with)
            .await
            .map(drop)
    }

    /// What a restart finds being carried out does not run any more: the plan stops, and a person lets
    /// it go on. A run is not taken up again.
    pub(crate) async fn recover(&self, session: &Session) -> Result<(), String> {
        self.stop_steps(session).await?;
        self.stop(session, "AutoRun", "running", "interrupted")
            .await
    }

    /// Stops a plan whose steps nobody carries out.
    pub(crate) async fn stop_steps(&self, session: &Session) -> Result<(), String> {
        // Whoever carries steps out has the hands.
        let hands = self.hands(session.identity());
        let _one = hands.lock().await;
        self.stop(session, "PlanMode", "EXECUTING", "restarted")
            .await
    }

    async fn stop(
        &self,
        session: &Session,
        machine: &str,
        state: &str,
        signal: &str,
    ) -> Result<(), String> {
        let plans = session.plans().await.map_err(|error| error.to_string())?;
        let going_on = plans
            .iter()
            .filter(|held| held.machine == machine && held.plan.state == state);
        for held in going_on {
            let plan = held.plan.id.as_str();
            self.signal(session, machine, signal, plan, Object::new())
                .await?;
        }
        Ok(())
    }
}

/// The call that was recorded as a step, and the state in which its plan carries it out.
struct Recorded {
    tool: String,
    args: Object,
    state: String,
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
            state: plan.state.to_string(),
        })
    }))
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
