//! Checks that the configured command denies a call that must be denied.

use std::io::Write as _;
use std::process::{Command, Stdio};

use plan_machine_kernel::json::{Json, Object};
use tokio::runtime::Builder;

use super::finding::{Finding, init};
use crate::agents::HookShape;
use crate::event::DOCTOR;
use crate::install::{InstallTarget, tool_command};
use crate::keeper::{GateError, Keeper, identity};
use crate::project::{Documents, Site};

const CHECK: &str = "hook";

/// Runs the command that the agent runs before a call, with a call that must be denied: one of the class `guard`.
pub(super) fn check(target: &InstallTarget<'_>, site: &Site) -> Finding {
    let answered = run(target, site);
    // A session that cannot be deleted does no harm.
    let _ = forget(target, site);
    let denied = match answered {
        Ok(denied) => denied,
        Err(cause) => return Finding::wrong(CHECK, cause, init(target)),
    };
    let (status, stdout, stderr) = denied;
    let reason = stderr.lines().next().unwrap_or_default();
    if status != Some(2) || !stdout.is_empty() || reason.is_empty() {
        let status = status.map_or_else(|| "a signal".to_owned(), |status| status.to_string());
        return Finding::wrong(
            CHECK,
            format!(
                "for a forbidden call, the hook ended with {status}; expected exit status 2 and only a reason on standard error"
            ),
            init(target),
        );
    }
    if stderr.contains("the gate is closed") {
        return Finding::wrong(
            CHECK,
            format!("every call is denied: {reason}"),
            "fix the other findings first",
        );
    }
    Finding::well(CHECK, "a forbidden call is denied")
}

/// Deletes the session that the call has created, because no person would recognize it.
fn forget(target: &InstallTarget<'_>, site: &Site) -> Result<(), GateError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| GateError::Start(error.to_string()))?;
    let session = identity(target.agent.name(), DOCTOR)?;
    runtime.block_on(async {
        let keeper = Keeper::open(target.home, site.clone(), &site.root).await?;
        keeper.forget(&keeper.named(&session)?).await?;
        keeper.close().await
    })
}

type Answered = (Option<i32>, String, String);

fn run(target: &InstallTarget<'_>, site: &Site) -> Result<Answered, String> {
    let event = event(target, site).to_string();
    let mut command = Command::new("/bin/sh");
    if target.agent.installation().hooks == HookShape::Plugin {
        command = Command::new(target.hook);
        command.args(["hook", "--agent", target.agent.name()]);
    } else {
        let line = tool_command(target.hook, target.agent.name());
        command
            .arg("-c")
            .arg(line.map_err(|error| error.to_string())?);
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|error| format!("the hook cannot be started: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // If the hook has already ended, its status is the answer.
        let _ = stdin.write_all(event.as_bytes());
    }
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    Ok((
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    ))
}

/// Returns an event with the fields of all agents; each agent reads only its own fields.
fn event(target: &InstallTarget<'_>, site: &Site) -> Json {
    let events = target.agent.installation().tool_events;
    let name = match target.agent.installation().hooks {
        HookShape::Plugin => "PreToolUse",
        _ => events.first().copied().unwrap_or("PreToolUse"),
    };
    let (tool, argument) = command_tool(site);
    let mut input = Object::new();
    input.push(argument, "plan-machine approve canary");
    let folder = site.root.display().to_string();
    let id = format!("canary-{}", std::process::id());
    let mut event = Object::new();
    for field in ["hook_event_name", "event"] {
        event.push(field, name);
    }
    for field in ["session_id", "conversation_id"] {
        event.push(field, DOCTOR);
    }
    for field in ["cwd", "working_dir"] {
        event.push(field, folder.as_str());
    }
    for field in ["turn_id", "generation_id", "tool_use_id", "tool_call_id"] {
        event.push(field, id.as_str());
    }
    event.push("tool_name", tool);
    event.push("tool_input", Json::from(input));
    event.into()
}

/// Returns a tool that the calls document describes as running commands, and the argument with the command.
fn command_tool(site: &Site) -> (String, String) {
    let found = Documents::read(site).ok().and_then(|documents| {
        let calls = documents.session.calls.as_ref()?;
        let mut tools = calls.calls.document.tools.iter();
        tools.find_map(|tool| Some((tool.name.clone(), tool.command.clone()?)))
    });
    found.unwrap_or_else(|| ("Bash".to_owned(), "command".to_owned()))
}
