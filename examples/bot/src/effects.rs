//! What the plans ask of the host: cards to show, steps to carry out, runs, files.
//!
//! An effect is in the store until it is settled, and settled after it was done: a bot that was killed in
//! between does it again. So each of these can be done twice.

mod builder;
mod steps;

use plan_machine::machine::PlanView;
use plan_machine::{Json, Object, Token, short_token};
use plan_machine_sessions::{Session, SessionEffect, SessionPlan};
use plan_specs::{auto_run, plan_builder, plan_mode, work_by_plan};
use tokio::sync::{Mutex, MutexGuard};

use crate::auto::Run;
use crate::bot::Bot;
use crate::model::in_a_line;
use crate::outgoing::{Card, Said};

/// How many characters of a model's words a sentence of the bot has.
const QUOTED: usize = 200;

impl Bot {
    /// Does everything that the session's plans ask for now.
    pub(crate) async fn effects(&self, session: &Session) -> Result<Vec<Said>, String> {
        // One pair of hands a session: whoever comes meanwhile finds it done.
        let hands = self.hands(session.identity());
        let one = hands.lock().await;
        self.effects_by(session, &hands, one).await
    }

    /// Does what the plans ask for, unless somebody is doing it, who then does this as well.
    pub(crate) async fn effects_unless_busy(&self, session: &Session) -> Result<Vec<Said>, String> {
        let hands = self.hands(session.identity());
        // Said before the look at the hands: whoever lets go of them looks at it afterwards.
        self.more(session.identity(), true);
        match hands.try_lock() {
            Ok(one) => self.effects_by(session, &hands, one).await,
            Err(_) => Ok(Vec::new()),
        }
    }

    /// Does what there is to do, and what others leave meanwhile.
    async fn effects_by<'h>(
        &self,
        session: &Session,
        hands: &'h Mutex<()>,
        mut one: MutexGuard<'h, ()>,
    ) -> Result<Vec<Said>, String> {
        let mut said = Vec::new();
        loop {
            said.extend(self.all_effects(session).await?);
            drop(one);
            if !self.more(session.identity(), false) {
                return Ok(said);
            }
            one = hands.lock().await;
        }
    }

    async fn all_effects(&self, session: &Session) -> Result<Vec<Said>, String> {
        let mut said = self.stop_interrupted(session).await?;
        let mode = self.chats.mode(session.identity());
        loop {
            // Looked up first: an effect that is settled meanwhile must not be taken for one that nobody has done.
            let unshown = self.unshown(session.identity(), |unshown| unshown.clone());
            let mut effects = session.effects().await.map_err(|error| error.to_string())?;
            // What plans of another mode ask for waits until their mode is back.
            effects.retain(|effect| !mode.parks(&effect.machine));
            effects.retain(|effect| !unshown.contains(&effect.id));
            if effects.is_empty() {
                self.write_planning_files(session).await?;
                return Ok(said);
            }
            for effect in effects {
                let words = self.effect(session, &effect).await?;
                // A step that has run is not due any more, whoever reads of it.
                if !words.is_empty() && self.is_heard() && effect.effect.name != "step_due" {
                    self.unshown(session.identity(), |unshown| {
                        unshown.push(effect.id.clone());
                    });
                    said.extend(words);
                    said.push(Said::Effect(effect.id));
                    continue;
                }
                said.extend(words);
                let settled = session.settle(&effect.id).await;
                settled.map_err(|error| error.to_string())?;
            }
        }
    }

    async fn effect(&self, session: &Session, effect: &SessionEffect) -> Result<Vec<Said>, String> {
        match effect.machine.as_str() {
            "WorkByPlan" => self.work_by_plan(session, effect).await,
            "PlanMode" => self.plan_mode(session, effect).await,
            "PlanBuilder" => self.plan_builder(session, effect).await,
            "PlanningFiles" => self.file_effect(session, effect).await,
            "AutoRun" => self.auto_run(session, effect).await,
            other => Ok(vec![Said::Error(format!(
                "nobody does the effects of {other}"
            ))]),
        }
    }

    async fn work_by_plan(
        &self,
        session: &Session,
        effect: &SessionEffect,
    ) -> Result<Vec<Said>, String> {
        use work_by_plan::Effect::{PlanApproved, PlanReady};
        Ok(match effect.effect.typed::<work_by_plan::Machine>() {
            Some(PlanReady { plan, token }) => self.card(session, plan.as_str(), &token).await?,
            Some(PlanApproved { .. }) => vec![Said::Notice("Say what to begin with.".to_owned())],
            None => unknown(effect),
        })
    }

    async fn plan_mode(
        &self,
        session: &Session,
        effect: &SessionEffect,
    ) -> Result<Vec<Said>, String> {
        use plan_mode::Effect::{PlanOver, PlanReady, PlanStopped, StepDue};
        Ok(match effect.effect.typed::<plan_mode::Machine>() {
            Some(PlanReady { plan, token, .. }) => {
                self.card(session, plan.as_str(), &token).await?
            }
            Some(StepDue { plan, step }) => self.step(session, plan.as_str(), step).await?,
            Some(PlanStopped { plan, left, .. }) => {
                let plan = find(session, plan.as_str()).await?;
                vec![stopped(plan.as_ref(), left)]
            }
            Some(PlanOver {
                plan,
                outcome,
                failed,
            }) => {
                vec![Said::Notice(plan_over(
                    plan.as_str(),
                    &outcome,
                    failed.unwrap_or_default(),
                ))]
            }
            None => unknown(effect),
        })
    }

    async fn plan_builder(
        &self,
        session: &Session,
        effect: &SessionEffect,
    ) -> Result<Vec<Said>, String> {
        use plan_builder::Effect::{
            ApprovalNeeded, ExecutionOver, ExecutionStopped, PlanApproved, PlanRejected,
            StartExecution,
        };
        Ok(match effect.effect.typed::<plan_builder::Machine>() {
            Some(ApprovalNeeded { plan, token }) => {
                self.card(session, plan.as_str(), &token).await?
            }
            Some(StartExecution { plan, .. }) => {
                // That it is being carried out is stored, and the steps follow. An older version did not store it.
                let stored = find(session, plan.as_str()).await?;
                let lost = stored.is_some_and(|plan| plan.state == "approved");
                let again = format!("`/plan execute {plan}` carries it out.");
                lost.then_some(Said::Notice(again)).into_iter().collect()
            }
            Some(ExecutionStopped { plan, .. }) => {
                vec![builder::stopped(session, plan.as_str()).await?]
            }
            Some(ExecutionOver { plan, outcome }) if outcome == "completed" => {
                vec![Said::Notice(format!("The plan {plan} was carried out."))]
            }
            // Only a person approves, rejects or cancels, and reads the plan's reply.
            Some(PlanApproved { .. } | PlanRejected { .. } | ExecutionOver { .. }) => Vec::new(),
            None => unknown(effect),
        })
    }

    async fn auto_run(
        &self,
        session: &Session,
        effect: &SessionEffect,
    ) -> Result<Vec<Said>, String> {
        use auto_run::Effect::{Message, RunOver, RunStarted, TaskDue};
        Ok(match effect.effect.typed::<auto_run::Machine>() {
            Some(RunStarted {
                run,
                kind,
                task,
                goal,
                instructions,
            }) => {
                self.runs.enter(Run {
                    session: session.identity().clone(),
                    run: run.to_string(),
                    kind,
                    task,
                    goal,
                    instructions: instructions.unwrap_or_default(),
                    due: false,
                    turns: 0,
                    failures: 0,
                });
                vec![Said::Notice(format!("`/auto off {run}` stops it."))]
            }
            Some(TaskDue { run, .. }) => {
                self.runs.due(session.identity(), run.as_str());
                Vec::new()
            }
            Some(Message { run, text, .. }) => vec![Said::Run {
                run: run.to_string(),
                text,
            }],
            Some(RunOver { run, outcome, .. }) => {
                self.runs.leave(session.identity(), run.as_str(), &outcome);
                // Only a person stops a run, and reads its reply.
                if outcome == "stopped" {
                    return Ok(Vec::new());
                }
                over(session, run.as_str(), &outcome).await?
            }
            None => unknown(effect),
        })
    }

    /// Shows a plan as it is, if its token is still the one that was asked for: a change since then has a card
    /// of its own.
    async fn card(&self, session: &Session, plan: &str, token: &str) -> Result<Vec<Said>, String> {
        let plans = session.plans().await.map_err(|error| error.to_string())?;
        let mut meant = plans
            .into_iter()
            .filter(|held| held.plan.id == plan && names(token, &held.plan.token));
        Ok(meant
            .next()
            .map(|held| self.show(session, &held))
            .into_iter()
            .collect())
    }

    /// Shows a plan as it is. A person who types just `/plan approve` means what was shown last.
    pub(crate) fn show(&self, session: &Session, held: &SessionPlan) -> Said {
        let plan = &held.plan;
        self.remember_shown(session.identity(), plan.id.as_str(), &plan.token);
        Said::Card(Card {
            plan: plan.id.to_string(),
            state: plan.state.to_string(),
            body: body(&plan.data),
            token: plan.token.clone(),
            commands: quick_commands(held),
        })
    }
}

/// Whether a token that was asked for is that of the plan as it is.
fn names(asked: &str, current: &str) -> bool {
    let tokens = (asked.parse::<Token>(), current.parse::<Token>());
    matches!(tokens, (Ok(asked), Ok(current)) if asked.fits(current))
}

/// What decides about a plan that was shown.
fn quick_commands(held: &SessionPlan) -> Vec<String> {
    let (plan, token) = (&held.plan.id, short_token(&held.plan.token));
    match held.machine {
        "WorkByPlan" => vec![format!("/plan approve {token}"), "/plan cancel".to_owned()],
        "PlanMode" => vec![
            format!("/plan approve {plan} {token}"),
            format!("/plan cancel {plan}"),
        ],
        _ => vec![
            format!("/plan approve {plan} {token}"),
            format!("/plan reject {plan} REASON"),
        ],
    }
}

/// How a plan of plan mode ended.
fn plan_over(plan: &str, outcome: &str, failed: i64) -> String {
    let steps = match failed {
        1 => "1 step".to_owned(),
        failed => format!("{failed} steps"),
    };
    match (outcome, failed) {
        ("COMPLETED", 0) => format!("The plan {plan} is completed."),
        ("COMPLETED", _) => format!("The plan {plan} is completed, although {steps} failed."),
        (_, 0) => format!("The plan {plan} is cancelled."),
        (_, _) => format!("The plan {plan} is cancelled; {steps} had failed before."),
    }
}

/// How a run ended: why it failed, or its last words.
async fn over(session: &Session, run: &str, outcome: &str) -> Result<Vec<Said>, String> {
    let plan = find(session, run).await?;
    let last = |key: &str| plan.as_ref()?.data.get(key)?.as_text();
    let why = last("error").map_or(String::new(), |why| {
        format!(", {}", in_a_line(why, QUOTED).trim_end_matches('.'))
    });
    let over = Said::Notice(format!("The run {run} is over: {outcome}{why}."));
    let words = last("result").map(|words| Said::Run {
        run: run.to_owned(),
        text: words.to_owned(),
    });
    Ok(words.into_iter().chain([over]).collect())
}

/// Where a plan has stopped, and what leads on. A step that was interrupted may have done something.
fn stopped(plan: Option<&PlanView>, left: i64) -> Said {
    let steps = plan.and_then(|plan| plan.data.get("steps")?.as_list());
    let all = || (1..).zip(steps.unwrap_or_default());
    let field =
        |step: &'_ Json, key: &str| step.as_object().and_then(|step| step.get(key).cloned());
    let interrupted = all().find(|(_, step)| field(step, "interrupted").is_some());
    let failed = Some(Json::from("FAILED"));
    let failed = all()
        .filter(|(_, step)| field(step, "status") == failed)
        .last();
    let left = match left {
        1 => "1 step is left".to_owned(),
        left => format!("{left} steps are left"),
    };
    let cancel = "`/plan cancel` gives the plan up";
    Said::Notice(match (interrupted, failed) {
        (Some((number, step)), _) => format!(
            "The plan has stopped in step {number}, `{}`, which was interrupted and may have run in part; {left}. `/plan resume again` runs it again, {cancel}.",
            in_a_line(&step_line(step), QUOTED)
        ),
        (None, Some((number, _))) => format!(
            "The plan has stopped in step {number}, which failed; {left}. `/plan resume` tries it again, {cancel}."
        ),
        (None, None) => {
            format!("The plan has stopped; {left}. `/plan resume` goes on, {cancel}.")
        }
    })
}

fn unknown(effect: &SessionEffect) -> Vec<Said> {
    vec![Said::Error(format!(
        "nobody does the effect `{}`",
        effect.effect.name
    ))]
}

/// A plan of a session by its id.
pub(crate) async fn find(session: &Session, plan: &str) -> Result<Option<PlanView>, String> {
    let plans = session.plans().await.map_err(|error| error.to_string())?;
    let mut plans = plans.into_iter().map(|held| held.plan);
    Ok(plans.find(|held| held.id == plan))
}

/// What a plan says. Parts that a model has written stand on one line each, so that none looks like another.
fn body(data: &Object) -> String {
    if let Some(markdown) = data.get("markdown").and_then(Json::as_text) {
        return markdown.to_owned();
    }
    let list = |key: &str| data.get(key).and_then(Json::as_list).unwrap_or_default();
    let mut lines = Vec::new();
    for key in ["goal", "summary"] {
        let text = data.get(key).and_then(Json::as_text);
        lines.extend(text.map(|text| format!("{key}: {}\n", one_line(text))));
    }
    if data.get("stop_on_failure").and_then(Json::as_bool) == Some(false) {
        lines.push("stop on failure: off\n".to_owned());
    }
    for (number, step) in (1..).zip(list("steps")) {
        lines.push(format!("{number}. {}", step_line(step)));
    }
    for key in ["assumptions", "risks", "verification", "files"] {
        let items = list(key).iter().filter_map(Json::as_text);
        let items: Vec<String> = items.map(|item| format!("- {}", one_line(item))).collect();
        if !items.is_empty() {
            lines.push(format!("\n{key}:\n{}", items.join("\n")));
        }
    }
    lines.join("\n")
}

fn step_line(step: &Json) -> String {
    let Some(step) = step.as_object() else {
        return step.to_string();
    };
    let text = |key: &str| one_line(step.get(key).and_then(Json::as_text).unwrap_or_default());
    match step.get("args") {
        Some(args) => format!("{} {args}", text("tool")),
        None => format!("{}: {}", text("agent"), text("task")),
    }
}

fn one_line(text: &str) -> String {
    text.trim_end().replace('\n', "\\n")
}
