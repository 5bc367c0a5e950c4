//! A host of sessions that tests start and kill, or let run out of disk space.
//!
//! `session-host approve FILE CONVERSATION [REVISION]` waits for the end of its input, approves the plan and prints the
//! answer. `session-host revise FILE CONVERSATION TIMES` changes the plan that many times, each time starting from the
//! latest revision that it has seen, and prints the revisions that it created. `session-host load FILE` works in eight
//! sessions in parallel and prints each entry once it is acknowledged, until the process is killed. `session-host fill
//! FOLDER` fills the disk and continues when there is free space again. `session-host wake STORE SECONDS` fires the
//! timers that are due at the instant SECONDS (see `ticking::at`), prints a line after each session, and, when nothing
//! is due, waits for the end of its input.

use std::error::Error;
use std::fs;
use std::io::{Read, Write, stdin, stdout};
use std::path::Path;
use std::sync::Arc;

use plan_machine::gate::{EventContext, Gate, ToolCall};
use plan_machine::machine::{Call, CallKind, Outcome, ShownToken};
use plan_machine::{DenialKind, Object};
use plan_machine_sessions::store::{Sqlite, StoreErrorKind};
use plan_machine_sessions::{Session, SessionError, SessionIdentity, Sessions};
use plan_machine_tests::ticking;

plan_machine::machine!("corpus/valid/work_by_plan.yaml");

type Failed = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["approve", file, conversation] => approve(file, conversation, None).await,
        ["approve", file, conversation, revision] => {
            approve(file, conversation, Some(revision.parse()?)).await
        }
        ["revise", file, conversation, times] => revise(file, conversation, times.parse()?).await,
        ["load", file] => load(file).await,
        ["fill", folder] => fill(Path::new(folder)).await,
        ["wake", store, seconds] => wake(store, seconds.parse()?).await,
        _ => Err("usage: session-host approve|revise|load|fill|wake ARGUMENTS".into()),
    }
}

fn sessions(file: impl AsRef<Path>) -> Result<Sessions, Failed> {
    let machines = Gate::builder().with(work_by_plan::Machine).join()?;
    Ok(Sessions::new(Arc::new(Sqlite::open(file)?), machines))
}

async fn approve(file: &str, conversation: &str, revision: Option<u64>) -> Result<(), Failed> {
    let session = sessions(file)?.session(&SessionIdentity::new("test", conversation)?);
    session.plans().await?;
    println!("ready");
    stdin().read_to_string(&mut String::new())?;
    let mut call = Call::new(CallKind::Event("approve".into()));
    call.token = ShownToken::Current;
    call.expect_revision = revision;
    let done = session
        .send("WorkByPlan", &call, &EventContext::now())
        .await?;
    match done.answer {
        Outcome::Accepted(_) => println!("accepted"),
        Outcome::Denied(denial) => println!("{}", denial.kind),
        Outcome::Run { .. } => println!("run"),
    }
    Ok(())
}

async fn revise(file: &str, conversation: &str, times: usize) -> Result<(), Failed> {
    let session = sessions(file)?.session(&SessionIdentity::new("test", conversation)?);
    let mut revised = 0;
    while revised < times {
        let plans = session.plans().await?;
        let [plan] = &plans[..] else {
            return Err("expected exactly one plan".into());
        };
        let seen = plan.plan.revision;
        let mut call = Call::new(CallKind::Event("plan_set_content".into()));
        call.with
            .push("plan_markdown", format!("# revision {seen}"));
        call.expect_revision = Some(seen);
        let around = EventContext::now();
        match session.send("WorkByPlan", &call, &around).await?.answer {
            Outcome::Accepted(_) => {
                println!("{seen}");
                revised += 1;
            }
            Outcome::Denied(denial) if denial.kind == DenialKind::Stale => {}
            other => {
                return Err(
                    format!("expected an accepted or a stale revision, found {other:?}").into(),
                );
            }
        }
    }
    Ok(())
}

async fn load(file: &str) -> Result<(), Failed> {
    let sessions = sessions(file)?;
    let mut working = Vec::new();
    for number in 0..8 {
        let session = sessions.session(&SessionIdentity::new(
            "load",
            &format!("load-session-{number}"),
        )?);
        working.push(tokio::spawn(work(session)));
    }
    for work in working {
        work.await??;
    }
    Ok(())
}

/// Drafts, approves and ends plans until the process is killed.
async fn work(session: Session) -> Result<(), Failed> {
    for round in 0_u64.. {
        let line = match round % 4 {
            0 => "/plan on",
            3 => "/plan done",
            _ => "",
        };
        let around = EventContext::now().by("load");
        let seq = if line.is_empty() {
            let mut args = Object::new();
            args.push("plan_markdown", format!("# round {round}"));
            let call = ToolCall::new("plan_set_content", args);
            let call = call.once(format!("{}-{round}", std::process::id()));
            let done = session.decide(&[call], &around).await?;
            done.seq
        } else {
            let done = session.command(line, &around).await?;
            done.seq
        };
        // The period marks the end of the line: a line without it is incomplete.
        let told = format!("{} {seq} .\n", session.identity().conversation());
        stdout().write_all(told.as_bytes())?;
        stdout().flush()?;
    }
    Ok(())
}

/// Fires the timers that are due, and then waits for the end of its input.
async fn wake(store: &str, seconds: u64) -> Result<(), Failed> {
    let sessions = ticking::sessions(store).await?;
    let now = ticking::at(seconds);
    loop {
        let due = sessions.due(now, 16).await?;
        if due.is_empty() {
            break;
        }
        for session in due {
            sessions.session(&session).wake(now).await?;
            println!("woken");
        }
    }
    println!("idle");
    stdin().read_to_string(&mut String::new())?;
    Ok(())
}

/// Fills the disk, checks that the full disk is reported, frees space and continues.
async fn fill(folder: &Path) -> Result<(), Failed> {
    let filler = folder.join("filler");
    fs::write(&filler, vec![0; 256 * 1024])?;
    let sessions = sessions(folder.join("plans.db"))?;
    let session = sessions.session(&SessionIdentity::new("test", "until-it-is-full")?);
    session.command("/plan on", &EventContext::now()).await?;
    let mut stored = 1;
    let error = loop {
        match draft(&session).await {
            Ok(seq) => stored = seq,
            Err(error) => break error,
        }
    };
    match &error {
        SessionError::Store(error) if error.kind == StoreErrorKind::Full => {}
        other => {
            return Err(format!("expected the error that the disk is full, found {other}").into());
        }
    }
    println!("{error}");
    if session.seq().await? != stored || session.plans().await?.len() != 1 {
        return Err("an acknowledged entry is missing".into());
    }
    fs::remove_file(&filler)?;
    if draft(&session).await? != stored + 1 {
        return Err("the session did not continue after its last entry".into());
    }
    let machines = Gate::builder().with(work_by_plan::Machine).join()?;
    if !session.verify(&machines).await?.is_empty() {
        return Err("a replay gives a different result".into());
    }
    println!("continued");
    Ok(())
}

async fn draft(session: &Session) -> Result<u64, SessionError> {
    let mut args = Object::new();
    args.push("plan_markdown", "x".repeat(10_000));
    let call = ToolCall::new("plan_set_content", args);
    Ok(session.decide(&[call], &EventContext::now()).await?.seq)
}
