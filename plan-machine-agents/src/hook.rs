//! The hook process: it reads one event from standard input, answers it, and ends. If anything goes wrong, the call is
//! denied.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use plan_machine_sessions::{InvalidIdentity, SessionIdentity};
use tokio::runtime::Builder;

use crate::agents::{self, Agent};
use crate::ancestors::Ancestry;
use crate::answer::{AgentAnswer, CLOSED, HookOutput};
use crate::audit::{self, DeniedCall};
use crate::event::{self, AgentEvent, AgentEventKind, DOCTOR, EventError, MAX_EVENT_BYTES};
use crate::keeper::{GateError, HookReply, Keeper, Prompt, actor, identity};
use crate::project::files::{self, Durability};
use crate::project::{self, Site, StateFolder};

/// How long a hook may take. It is below the time limits that the installer sets: 60 seconds in opencode's plugin, and
/// 120 seconds in other agents.
const WATCHDOG: Duration = Duration::from_secs(30);

/// The environment variable with a limit that is shorter than [`WATCHDOG`], in milliseconds. It cannot make the limit
/// longer, because an agent can set variables.
const LIMIT: &str = "PLAN_MACHINE_HOOK_LIMIT";

/// The bit that is set in [`FAILED`] once the answer is written and its cards are recorded as shown. From then on, a
/// failure no longer changes the status.
const ANSWERED: u8 = 0x80;

/// The exit status if something goes wrong: 2 until the event has been read, and then that of [`failed_status`].
static FAILED: AtomicU8 = AtomicU8::new(2);

/// The exit status of a wrapped hook that does not object to the event. Another program or an empty file in place of
/// plan-machine may end with 0, so the command that an agent runs expects this status instead of 0.
pub const YES: u8 = 77;

/// The exit status of a wrapped hook that denies a call or blocks a prompt, with a reason on standard error.
pub const NO: u8 = 78;

/// Whether the command that the agent runs translates the exit status.
static WRAPPED: AtomicBool = AtomicBool::new(false);

/// Runs a hook process and ends it.
///
/// If `wrapped` is true, the exit status is [`YES`] or [`NO`]; another program is unlikely to end with one of these.
pub fn run(agent: &str, wrapped: bool) -> ! {
    fail_closed(wrapped, limit(std::env::var(LIMIT).ok().as_deref()));
    let answered = answered(agent, &mut io::stdin().lock());
    end(answered.finish());
}

/// Returns how long the hook may take, given the value of [`LIMIT`].
fn limit(value: Option<&str>) -> Duration {
    let shorter = value.and_then(|value| value.parse().ok());
    shorter.map_or(WATCHDOG, |limit| WATCHDOG.min(Duration::from_millis(limit)))
}

/// Makes sure that this process denies the call if it panics or takes too long.
fn fail_closed(wrapped: bool, limit: Duration) {
    WRAPPED.store(wrapped, Ordering::SeqCst);
    std::panic::set_hook(Box::new(|_| {
        fail("the hook has failed; run `plan-machine doctor` in a terminal")
    }));
    let watchdog = thread::Builder::new().name("watchdog".to_owned());
    let watching = watchdog.spawn(move || {
        thread::sleep(limit);
        fail("the hook took too long, possibly because the store is locked; try again");
    });
    if watching.is_err() {
        fail(
            "the hook cannot start a thread that limits its time; try again when fewer processes run",
        );
    }
}

/// Ends the process because something went wrong. Once [`ANSWERED`] is set, the failure is not reported, and the exit
/// status is that of the written answer.
fn fail(why: &str) -> ! {
    let status = FAILED.load(Ordering::SeqCst);
    if status & ANSWERED != 0 {
        end(status & !ANSWERED);
    }
    if status != 0 {
        // If standard error cannot be written, the failure cannot be reported.
        let _ = writeln!(io::stderr(), "{CLOSED}: {why}");
    }
    end(status);
}

/// Ends the process with a status.
fn end(status: u8) -> ! {
    let is_wrapped = WRAPPED.load(Ordering::SeqCst);
    process::exit(i32::from(match status {
        0 if is_wrapped => YES,
        _ if is_wrapped => NO,
        status => status,
    }));
}

/// An answer that has not been written yet.
struct Answered {
    output: HookOutput,
    reply: HookReply,
    keeper: Option<Keeper>,
}

impl Answered {
    /// Writes the answer, then stores which cards were shown, and returns the exit status.
    fn finish(self) -> u8 {
        let mut written = io::stdout().write_all(self.output.stdout.as_bytes());
        written = written.and_then(|()| io::stdout().flush());
        written = written.and_then(|()| io::stderr().write_all(self.output.stderr.as_bytes()));
        if written.is_err() {
            // The agent cannot read a reason, but it can still read the status.
            return 2;
        }
        let Some(keeper) = self.keeper else {
            return self.output.status;
        };
        if !self.reply.deliveries.is_empty() && keeper.delivered(&self.reply.deliveries).is_err() {
            let text = "This card could not be recorded as shown, so it cannot be approved yet. \
                        `plan-machine status` in a terminal shows it again.";
            let _ = writeln!(io::stderr(), "{text}");
        }
        FAILED.store(self.output.status | ANSWERED, Ordering::SeqCst);
        keeper.leave();
        self.output.status
    }
}

fn answered(agent: &str, input: &mut dyn Read) -> Answered {
    let Some(agent) = agents::agent(agent) else {
        return refused(None, &GateError::UnknownAgent(agent.to_owned()));
    };
    let event = match read(agent, input) {
        Ok(event) => event,
        Err(error) => return refused(None, &error.into()),
    };
    FAILED.store(failed_status(&event), Ordering::SeqCst);
    let decided = decide(agent, &event);
    match decided {
        Ok((reply, keeper)) => Answered {
            output: agent.write(&event, &reply.answer),
            reply,
            keeper,
        },
        Err(error) => refused(Some((agent, &event)), &error),
    }
}

/// Returns the exit status of a hook that fails on this event. A call is denied, and other events proceed but grant
/// nothing. A prompt that looks like a command is blocked, so that the person learns that it had no effect.
fn failed_status(event: &AgentEvent) -> u8 {
    match &event.kind {
        AgentEventKind::ToolCall(_) => 2,
        AgentEventKind::Prompt { text, .. } => {
            let line = text.trim();
            let first = line.chars().next().unwrap_or('x');
            let is_command = first.is_ascii_punctuation() && !line.contains('\n');
            if is_command { 2 } else { 0 }
        }
        _ => 0,
    }
}

fn read(agent: &dyn Agent, input: &mut dyn Read) -> Result<AgentEvent, EventError> {
    let mut bytes = Vec::new();
    let mut input = input.take(MAX_EVENT_BYTES as u64 + 1);
    let read = input.read_to_end(&mut bytes);
    read.map_err(|error| EventError::Unread(error.to_string()))?;
    agent.read(&event::parse(&bytes)?)
}

/// The reply to an event, and the keeper that stores which cards the reply has shown.
type HookDecision = (HookReply, Option<Keeper>);

/// Decides about an event. An event in a folder that is not gated gets no answer.
fn decide(agent: &dyn Agent, event: &AgentEvent) -> Result<HookDecision, GateError> {
    let silent = || (HookReply::from(AgentAnswer::Silence), None);
    if event.kind == AgentEventKind::Other {
        return Ok(silent());
    }
    let home = StateFolder::from_environment()?;
    let Some((site, folder)) = site(&home, agent, event)? else {
        return Ok(silent());
    };
    if event.conversation != DOCTOR {
        beat(&site, agent, event);
    }
    let denied = |error| {
        note_denial(&site, None, agent, event, &error);
        error
    };
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| denied(GateError::Start(error.to_string())))?;
    let decided = runtime.block_on(async {
        let keeper = Keeper::open_briefly(&home, site.clone(), &folder).await?;
        let reply = answer(&keeper, agent, event).await?;
        Ok::<_, GateError>((reply, keeper))
    });
    // A lookup of the server's name may still be running, and the agent must not wait for it.
    runtime.shutdown_background();
    let (reply, keeper) = decided.map_err(denied)?;
    if let AgentAnswer::Deny(reason) = &reply.answer {
        let error = GateError::Request(reason.clone());
        note_denial(&site, Some(&keeper), agent, event, &error);
    }
    Ok((reply, Some(keeper)))
}

async fn answer(
    keeper: &Keeper,
    agent: &dyn Agent,
    event: &AgentEvent,
) -> Result<HookReply, GateError> {
    match &event.kind {
        AgentEventKind::ToolCall(call) => keeper.call(agent, event, call).await,
        AgentEventKind::ToolDone { call, failed } => {
            let result = (call, *failed);
            keeper.done(agent, event, result, Ancestry::current).await
        }
        AgentEventKind::Prompt { text, proof, shown } => {
            let prompt = Prompt {
                text,
                proof: *proof,
                shown: *shown,
            };
            keeper
                .prompt(agent, event, &prompt, Ancestry::current)
                .await
        }
        AgentEventKind::SessionStart(reason) => {
            keeper.start(agent, event, *reason, Ancestry::current).await
        }
        AgentEventKind::Other => Ok(AgentAnswer::Silence.into()),
    }
}

/// Returns the project of an event, and the folder in which the agent works.
fn site(
    home: &StateFolder,
    agent: &dyn Agent,
    event: &AgentEvent,
) -> Result<Option<(Site, PathBuf)>, GateError> {
    let folder = match &event.folder {
        Some(folder) => folder.clone(),
        None => std::env::current_dir().map_err(|error| GateError::Start(error.to_string()))?,
    };
    let site = if event.conversation == DOCTOR {
        // `plan-machine doctor` checks one project after the other in the same conversation.
        project::find(home, &folder)
    } else {
        project::find_for(home, agent.name(), &event.conversation, &folder)?
    };
    Ok(site.map(|site| (site, folder)))
}

/// Writes a heartbeat for `plan-machine doctor`. If it cannot be written, `doctor` reports that it is missing or old.
fn beat(site: &Site, agent: &dyn Agent, event: &AgentEvent) {
    let mut object = Object::new();
    object.push("at", now().to_string());
    object.push("event", event.name.as_str());
    object.push("version", env!("CARGO_PKG_VERSION"));
    let file = site.state.join(format!("heartbeat-{}.json", agent.name()));
    let _ = files::write(&file, &Json::from(object).to_string(), Durability::Fleeting);
}

/// Answers an event about which the gate could not decide.
fn refused(of: Option<(&dyn Agent, &AgentEvent)>, error: &GateError) -> Answered {
    let output = if FAILED.load(Ordering::SeqCst) == 0 {
        HookOutput::silent()
    } else {
        HookOutput::denial(&format!("{CLOSED}: {error}"))
    };
    if of.is_none()
        && let Ok(home) = StateFolder::from_environment()
    {
        let denied = DeniedCall {
            at: now(),
            session: String::new(),
            actor: String::new(),
            tool: String::new(),
            args: String::new(),
            reason: error.to_string(),
        };
        // The call is denied whether or not the denial can be listed.
        let _ = audit::add(&home.audit(), &denied);
    }
    Answered {
        output,
        reply: AgentAnswer::Silence.into(),
        keeper: None,
    }
}

/// Adds a denied call to the list of denials. Other events, and those of `plan-machine doctor`, are not listed.
fn note_denial(
    site: &Site,
    keeper: Option<&Keeper>,
    agent: &dyn Agent,
    event: &AgentEvent,
    error: &GateError,
) {
    let AgentEventKind::ToolCall(call) = &event.kind else {
        return;
    };
    if event.conversation == DOCTOR {
        return;
    }
    let session = identity(agent.name(), &event.conversation);
    let session = session.and_then(|plain| named(site, keeper, plain));
    let denied = DeniedCall {
        at: now(),
        session: session
            .map(|session| session.to_string())
            .unwrap_or_default(),
        actor: actor(agent.name(), event),
        tool: call.tool.clone(),
        args: Json::from(call.args.clone()).to_string(),
        reason: error.to_string(),
    };
    // The call is denied whether or not the denial can be listed.
    let _ = audit::add(&site.state.join("audit.jsonl"), &denied);
}

/// Returns the identity of a session in its store, even if the gate could not be opened.
fn named(
    site: &Site,
    keeper: Option<&Keeper>,
    plain: SessionIdentity,
) -> Result<SessionIdentity, InvalidIdentity> {
    if let Some(keeper) = keeper {
        return keeper.named(&plain);
    }
    match project::shared_store(site) {
        Ok(Some(shared)) => shared.named(&plain),
        Ok(None) | Err(_) => Ok(plain),
    }
}

fn now() -> Instant {
    Instant::try_from(SystemTime::now()).unwrap_or_else(|_| Instant::at_second(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_can_only_shorten_the_limit() {
        for (value, expected) in [
            (None, WATCHDOG),
            (Some("50"), Duration::from_millis(50)),
            (Some("30001"), WATCHDOG),
            (Some("99999999999999999999"), WATCHDOG),
            (Some("-1"), WATCHDOG),
            (Some("soon"), WATCHDOG),
            (Some(""), WATCHDOG),
        ] {
            assert_eq!(limit(value), expected, "{value:?}");
        }
    }

    /// The variable that makes [`a_process_that_panics`] panic.
    const PANIC: &str = "PLAN_MACHINE_TEST_PANIC";

    /// Does nothing unless the next test runs it in a process of its own.
    #[test]
    fn a_process_that_panics() {
        if let Some(wrapped) = std::env::var_os(PANIC) {
            fail_closed(wrapped == "wrapped", WATCHDOG);
            panic!("this panic is deliberate");
        }
    }

    #[test]
    fn a_hook_that_panics_denies_with_a_reason() {
        let own = std::env::current_exe().expect("the path of the tests");
        for (wrapped, status) in [("bare", 2), ("wrapped", NO)] {
            let mut child = process::Command::new(&own);
            child.args(["--exact", "hook::tests::a_process_that_panics"]);
            let output = child.env(PANIC, wrapped).output().expect("a process");
            let shown = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(i32::from(status)), "{shown}");
            assert!(
                shown.contains(CLOSED) && shown.contains("has failed"),
                "{shown}"
            );
        }
    }

    #[test]
    fn an_event_is_read_only_up_to_the_limit() {
        let agent = agents::agent("claude-code").expect("an agent");
        let limit = MAX_EVENT_BYTES as u64;
        let mut input = io::repeat(b' ').take(2 * limit);
        let error = read(agent, &mut input).expect_err("more than the limit");
        assert!(matches!(error, EventError::TooLarge), "{error}");
        assert_eq!(input.limit(), limit - 1, "the rest is not read");
    }
}
