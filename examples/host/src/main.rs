//! A small host that drafts a plan, asks for its approval and carries it out. It may be killed at
//! any moment.
//!
//! `example-host sqlite:plans.db` stores its session in a file, `example-host postgres://…` in a database. Each line of
//! input advances the host by one step. When it is restarted, it continues where it left off.

use std::error::Error;
use std::io::{BufRead, stdin};
use std::process::ExitCode;
use std::sync::Arc;

use plan_machine::gate::{ConfirmedCall, EventContext, Gate, StartedCall, ToolCall};
use plan_machine::machine::Outcome;
use plan_machine::{HostTool, Object};
use plan_machine_sessions::store;
use plan_machine_sessions::{Session, SessionEffect, SessionIdentity, Sessions};
use plan_specs::plan_mode::types::{Step, StepStatus};
use plan_specs::plan_mode::{self, Effect as Due, Event, State, event};

type Failed = Box<dyn Error>;

const USAGE: &str = "\
Drafts a plan, has it approved, and carries it out. The program may be killed at any moment: when it is started again,
it continues the plan.

Usage: example-host [ADDRESS]

  ADDRESS  where the session is stored: `sqlite:FILE` or `postgres://…` (default: sqlite:plans.db)

Each line of input (Enter) advances the program by one step.";

#[tokio::main]
async fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let address = match args[..] {
        [] => "sqlite:plans.db",
        ["--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        [address] if !address.starts_with('-') => address,
        [option] => return failed(&format!("unknown option `{option}`\n\n{USAGE}")),
        _ => {
            return failed(&format!(
                "expected at most one argument, found {}\n\n{USAGE}",
                args.len()
            ));
        }
    };
    match host(address).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error.to_string()),
    }
}

fn failed(why: &str) -> ExitCode {
    eprintln!("error: {why}");
    ExitCode::FAILURE
}

async fn host(address: &str) -> Result<(), Failed> {
    let machines = Gate::builder()
        .with(plan_mode::Machine)
        .host_tool("cook", "Cooks a dish.", Object::new())
        .join()?;
    let store = store::open(address).await?;
    let sessions = Sessions::new(Arc::clone(&store), machines);
    let done = work(&sessions.session(&SessionIdentity::new("terminal", "example-host")?)).await;
    // The store is closed even if the work fails, so that a copy of its file is complete.
    store.close().await?;
    done
}

async fn work(session: &Session) -> Result<(), Failed> {
    take_up(session).await?;
    loop {
        // Effects stay in the store until they are settled, so a host finds those that a killed host left behind.
        let effects = session.effects().await?;
        let Some(effect) = effects.first() else {
            println!("nothing is left to do");
            return Ok(());
        };
        carry_out(session, effect).await?;
        session.settle(&effect.id).await?;
    }
}

fn around(actor: &str) -> EventContext {
    EventContext::now().by(actor)
}

/// Starts a plan if there is none, and resumes a plan whose step was interrupted.
async fn take_up(session: &Session) -> Result<(), Failed> {
    let plans = session.plans_of::<plan_mode::Machine>().await?;
    let Some(plan) = plans.first() else {
        // Effects of an ended plan may remain; in that case, there is nothing to start.
        return if session.effects().await?.is_empty() {
            propose(session).await
        } else {
            Ok(())
        };
    };
    println!("{} is {}", plan.id, plan.state.as_str());
    // An earlier host was killed after it had turned plan mode on, and before it had recorded the steps.
    if plan.state == State::Collecting {
        return record_steps(session).await;
    }
    let under_way = |step: &Step| step.status == StepStatus::InProgress;
    let is_interrupted = plan.data.steps.iter().any(under_way);
    if is_interrupted {
        // It is unknown whether the step was done. The plan stops until a person resumes it.
        let restarted = event::Restarted { reason: None };
        signal(session, Event::Restarted(restarted)).await?;
    }
    // An earlier host may have been killed while it waited for Enter.
    if is_interrupted || plan.state == State::PartiallyCompleted {
        println!("a step was interrupted and may have run; press Enter to run the step again");
        enter()?;
        command(session, "/plan resume again").await?;
    }
    Ok(())
}

/// Plays the part of a model in plan mode: the calls are recorded, and none of them runs.
async fn propose(session: &Session) -> Result<(), Failed> {
    command(session, "/plan on").await?;
    record_steps(session).await
}

/// Records the steps and finishes the plan. All of this is stored together.
async fn record_steps(session: &Session) -> Result<(), Failed> {
    let dishes = ["soup", "fish", "cake"].map(|dish| {
        let mut args = Object::new();
        args.push("dish", dish);
        ToolCall::new("cook", args)
    });
    let finished = ToolCall::new("plan_finalize", Object::new());
    let calls = dishes.into_iter().chain([finished]);
    let calls: Vec<ToolCall> = calls.collect();
    for decided in session.decide(&calls, &around("model")).await?.answer {
        println!("{}", decided.answer().unwrap_or_default());
    }
    Ok(())
}

/// Carries out one effect. The effect may have been carried out before, but every effect can safely be repeated.
async fn carry_out(session: &Session, effect: &SessionEffect) -> Result<(), Failed> {
    match effect.effect.typed::<plan_mode::Machine>() {
        Some(Due::PlanReady { token, steps, .. }) => {
            let shown = plan_machine::short_token(&token);
            println!("a plan is waiting (steps: {steps}); press Enter to approve {shown}");
            enter()?;
            let line = format!("/plan approve {token}");
            command(session, &line).await?;
        }
        Some(Due::StepDue { step, .. }) => step_due(session, step).await?,
        Some(Due::PlanExpired { .. }) => println!("the time to approve the plan has expired"),
        Some(Due::PlanStopped { left, .. }) => {
            println!("the plan has stopped (steps left: {left})");
        }
        Some(Due::PlanOver { outcome, .. }) => println!("the plan has ended: {outcome}"),
        None => println!("unhandled effect {}", effect.effect.name),
    }
    Ok(())
}

async fn step_due(session: &Session, step: i64) -> Result<(), Failed> {
    let plans = session.plans_of::<plan_mode::Machine>().await?;
    let Some(plan) = plans.first() else {
        // A step that was interrupted is due twice, and the plan may end after the first time.
        println!("step {step} is no longer due");
        return Ok(());
    };
    println!("step {step} is due; press Enter to carry it out");
    enter()?;
    let recorded = plan.data.steps.get(usize::try_from(step)?);
    let recorded = recorded.ok_or("the plan has no such step")?;
    let call = HostTool::new(recorded.tool.as_str(), recorded.args.clone());
    let started = Event::StepStarted(event::StepStarted { step });
    // The start of the step is stored before the step runs, so that no other host carries out the step, and no host
    // runs the step a second time unnoticed.
    let around = around("host");
    let started = session.start_recorded::<plan_mode::Machine>(&plan.id, started, call, &around);
    match started.await?.answer {
        StartedCall::Run(call) => {
            run(&call);
            println!("step {step} is done");
            let completed = event::StepCompleted { result: None };
            signal(session, Event::StepCompleted(completed)).await?;
        }
        StartedCall::Denied(denial) => println!("step {step} was not started: {denial}"),
        StartedCall::Withdrawn(denial) => {
            let error = denial.to_string();
            signal(session, Event::StepFailed(event::StepFailed { error })).await?;
        }
    }
    Ok(())
}

/// Runs the host's own tool, which accepts only confirmed calls.
fn run(call: &ConfirmedCall) {
    println!("{} {}", call.tool(), call.args());
}

/// Sends a command, and reports the reason if the plan denies it.
async fn command(session: &Session, line: &str) -> Result<(), Failed> {
    for answer in session.command(line, &around("you")).await?.answer {
        if let Outcome::Denied(denial) = answer.outcome {
            println!("`{line}`: {denial}");
        }
    }
    Ok(())
}

/// Sends a signal to the plan; returns whether the plan accepted it. A denial is reported.
async fn signal(session: &Session, event: Event) -> Result<bool, Failed> {
    let plans = session.plans_of::<plan_mode::Machine>().await?;
    let Some(plan) = plans.first() else {
        return Ok(false);
    };
    let around = around("host");
    let done = session.signal::<plan_mode::Machine>(&plan.id, event, &around);
    if let Outcome::Denied(denial) = done.await?.answer {
        println!("the plan did not accept the signal: {denial}");
        return Ok(false);
    }
    Ok(true)
}

fn enter() -> Result<(), Failed> {
    if stdin().lock().read_line(&mut String::new())? == 0 {
        return Err("the input has ended".into());
    }
    Ok(())
}
