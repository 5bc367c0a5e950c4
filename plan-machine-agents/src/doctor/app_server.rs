//! Asks the real Codex which hooks it would run. `codex app-server` needs neither a model nor an account for that.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use plan_machine_kernel::json::{Json, Object};

/// How long Codex may take to start and to answer.
const LIMIT: Duration = Duration::from_secs(60);

/// The maximum number of lines that are read to find the answer.
const MAX_LINES: usize = 1000;

/// A hook as Codex sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListedHook {
    /// The event that the hook answers, such as `preToolUse`.
    pub(super) event: String,
    /// The command that the hook runs.
    pub(super) command: String,
    /// Whether the hook is enabled in Codex.
    pub(super) is_enabled: bool,
    /// The trust of the hook: `trusted`, `managed`, `untrusted` or `modified`. Codex runs only trusted and managed
    /// hooks.
    pub(super) trust: String,
}

/// Why Codex could not be asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum AskError {
    /// Codex is not installed.
    #[error("`codex` is not in the PATH")]
    NotInstalled,
    /// Codex did not answer, or its answer cannot be read.
    #[error("`codex app-server` gave no usable answer: {0}")]
    NoAnswer(String),
}

/// Returns the hooks that Codex finds in a folder.
pub(super) fn hooks(folder: &Path) -> Result<Vec<ListedHook>, AskError> {
    let started = Command::new("codex")
        .arg("app-server")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut codex = started.map_err(|_| AskError::NotInstalled)?;
    let answer = ask(&mut codex, folder);
    // This fails if the process has already ended.
    let _ = codex.kill();
    let _ = codex.wait();
    let answer = answer?;
    let hooks = listed(&answer);
    hooks.ok_or_else(|| AskError::NoAnswer("its answer has an unknown form".to_owned()))
}

fn ask(codex: &mut Child, folder: &Path) -> Result<Json, AskError> {
    let failed = |cause: &str| AskError::NoAnswer(cause.to_owned());
    let mut stdin = codex.stdin.take().ok_or_else(|| failed("no input"))?;
    let stdout = codex.stdout.take().ok_or_else(|| failed("no output"))?;
    let folder = Json::from(folder.display().to_string());
    let version = env!("CARGO_PKG_VERSION");
    let requests = format!(
        "{{\"id\":1,\"method\":\"initialize\",\"params\":{{\"clientInfo\":{{\"name\":\"plan-machine\",\"version\":\"{version}\"}}}}}}\n\
         {{\"method\":\"initialized\"}}\n\
         {{\"id\":2,\"method\":\"hooks/list\",\"params\":{{\"cwds\":[{folder}]}}}}\n"
    );
    let written = stdin
        .write_all(requests.as_bytes())
        .and_then(|()| stdin.flush());
    written.map_err(|error| failed(&error.to_string()))?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // This fails after the time limit, because the receiver has been dropped.
        let _ = sender.send(answer(stdout));
    });
    match receiver.recv_timeout(LIMIT) {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => Err(failed("it ended without an answer")),
        Err(_) => Err(failed("it took too long")),
    }
}

/// Returns the answer to the second request.
fn answer(stdout: ChildStdout) -> Option<Json> {
    for line in BufReader::new(stdout).lines().take(MAX_LINES) {
        let Ok(Json::Object(message)) = Json::parse(&line.ok()?) else {
            continue;
        };
        if message.get("id") == Some(&Json::Int(2)) {
            return Some(message.into());
        }
    }
    None
}

fn listed(answer: &Json) -> Option<Vec<ListedHook>> {
    let result = answer.as_object()?.get("result")?.as_object()?;
    let folders = result.get("data")?.as_list()?;
    let mut hooks = Vec::new();
    for folder in folders {
        for hook in folder.as_object()?.get("hooks")?.as_list()? {
            hooks.extend(one(hook.as_object()?));
        }
    }
    Some(hooks)
}

fn one(hook: &Object) -> Option<ListedHook> {
    let text = |key: &str| Some(hook.get(key)?.as_text()?.to_owned());
    Some(ListedHook {
        event: text("eventName")?,
        command: text("command")?,
        is_enabled: hook.get("enabled")?.as_bool()?,
        trust: text("trustStatus")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_codex_is_read() {
        let answer = r#"{"id":2,"result":{"data":[{"cwd":"/p","hooks":[{"key":"/p/.codex/hooks.json:pre_tool_use:0:0",
            "eventName":"preToolUse","handlerType":"command","command":"true","async":false,"matcher":null,"timeoutSec":30,
            "enabled":true,"isManaged":false,"currentHash":"sha256:3e","trustStatus":"untrusted"}],"warnings":[],"errors":[]}]}}"#;
        let hooks = listed(&Json::parse(answer).expect("valid")).expect("hooks");
        let expected = ListedHook {
            event: "preToolUse".to_owned(),
            command: "true".to_owned(),
            is_enabled: true,
            trust: "untrusted".to_owned(),
        };
        assert_eq!(hooks, [expected]);
        assert_eq!(listed(&Json::Null), None);
    }
}
