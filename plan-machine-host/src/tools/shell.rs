//! The tool that runs shell commands.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

use super::ToolError;
use crate::stop::Stop;

/// The settings for running commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shell {
    /// The host's own executable: `supervise -- COMMAND` makes it call [`supervise`](super::supervise).
    pub supervisor: PathBuf,
    /// The maximum duration of a command.
    pub limit: Duration,
}

/// The maximum number of bytes that are returned from each of a command's two output streams.
const KEPT: u64 = 32 * 1024;

/// The result of a command that was stopped.
pub const INTERRUPTED: &str = "interrupted before it was done";

/// Runs a command in a folder. The command is not confined to the folder: it only starts there. Its processes end when
/// the command ends or is stopped, when the future is dropped, and when the host is killed. On systems other than
/// Linux, processes that have left the command's process group are not ended.
pub(super) async fn run(
    folder: &Path,
    command: &str,
    shell: &Shell,
    stop: &Stop,
) -> Result<String, ToolError> {
    if command.contains('\0') {
        return Err(ToolError::Refused(
            "the command contains a nul byte".to_owned(),
        ));
    }
    let given = ["PATH", "LANG"].into_iter();
    let given = given.filter_map(|name| Some((name, std::env::var_os(name)?)));
    let supervisor = Command::new(&shell.supervisor)
        .args(["supervise", "--", command])
        .current_dir(folder)
        // Commands from a model must not see the host's environment, which may contain API keys.
        .env_clear()
        .envs(given)
        .env("HOME", folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn();
    let mut supervisor = supervisor
        .map_err(|error| ToolError::Refused(format!("the shell cannot be started: {error}")))?;
    // The command runs as long as this pipe is open.
    let alive = supervisor.stdin.take();
    let why = tokio::select! {
        answer = finished(&mut supervisor) => return answer,
        () = stop.stopped() => INTERRUPTED.to_owned(),
        () = tokio::time::sleep(shell.limit) => {
            format!("stopped: the command took longer than {} s", shell.limit.as_secs_f32())
        }
    };
    drop(alive);
    // The supervisor ends the processes of the command before it ends itself.
    match supervisor.wait().await {
        Ok(_) => Err(ToolError::Interrupted(why)),
        Err(error) => Err(ToolError::Interrupted(format!(
            "{why}; the exit status of the command is unknown: {error}"
        ))),
    }
}

/// Waits until a command ends, and returns its output.
async fn finished(supervisor: &mut Child) -> Result<String, ToolError> {
    let (out, err) = (supervisor.stdout.take(), supervisor.stderr.take());
    let (status, out, err) = tokio::join!(supervisor.wait(), kept(out), kept(err));
    let status = status.map_err(|error| {
        ToolError::Failed(format!(
            "the exit status of the command is unknown: {error}"
        ))
    })?;
    let printed = [out, err].into_iter().filter(|text| !text.is_empty());
    let printed = printed.collect::<Vec<_>>().join("\n");
    if status.success() {
        return Ok(printed);
    }
    let how = status
        .code()
        .map_or_else(|| status.to_string(), |code| format!("exit {code}"));
    let text = format!("{how}\n{printed}");
    Err(ToolError::Failed(text.trim_end().to_owned()))
}

/// Reads a stream to its end, and returns the start of its text.
async fn kept(stream: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut stream) = stream else {
        return String::new();
    };
    let mut kept = Vec::new();
    // A stream that cannot be read counts as ended.
    let _ = (&mut stream).take(KEPT).read_to_end(&mut kept).await;
    let left_out = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    let left_out = left_out.unwrap_or_default();
    let mut text = String::from_utf8_lossy(&kept).into_owned();
    if left_out > 0 {
        let bytes = if left_out == 1 { "byte" } else { "bytes" };
        // Writing to a string cannot fail.
        let _ = write!(text, "\n… and {left_out} more {bytes}");
    }
    text
}
