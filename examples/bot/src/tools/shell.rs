//! Commands of the shell.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

/// How much of what a command prints is kept, of each of its two streams.
const KEPT: u64 = 32 * 1024;

/// Runs a command in a folder. A command is not confined to the folder: it begins there.
pub(super) async fn run(folder: &Path, command: &str, limit: Duration) -> Result<String, String> {
    if command.contains('\0') {
        return Err("a command has no nul bytes".to_owned());
    }
    let given = ["PATH", "LANG"].into_iter();
    let given = given.filter_map(|name| Some((name, std::env::var_os(name)?)));
    let child = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        // What the host was given, keys among it, is not for commands of a model.
        .env_clear()
        .envs(given)
        .env("HOME", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn();
    let child = child.map_err(|error| format!("the shell cannot be started: {error}"))?;
    let leader = child.id().and_then(|id| Pid::from_raw(id.try_into().ok()?));
    let group = Group(leader.ok_or("the shell was gone at once")?);
    match tokio::time::timeout(limit, finished(child, group)).await {
        Ok(answer) => answer,
        Err(_) => Err(format!(
            "stopped: it took longer than {} s",
            limit.as_secs_f32()
        )),
    }
}

/// Waits for a command; what it has left running in the background ends with it.
async fn finished(mut child: Child, group: Group) -> Result<String, String> {
    let streams = (child.stdout.take(), child.stderr.take());
    let leader = group.0;
    // The shell is left unreaped until its group is killed, so that its number names no one else.
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    let exited = tokio::task::spawn_blocking(move || waitid(WaitId::Pid(leader), how));
    let over = async {
        let _ = exited.await;
        drop(group);
        child.wait().await
    };
    let (status, out, err) = tokio::join!(over, kept(streams.0), kept(streams.1));
    let status = status.map_err(|error| format!("nobody knows how it ended: {error}"))?;
    let printed = [out, err].into_iter().filter(|text| !text.is_empty());
    let printed = printed.collect::<Vec<_>>().join("\n");
    if status.success() {
        return Ok(printed);
    }
    let how = status
        .code()
        .map_or_else(|| status.to_string(), |code| format!("exit {code}"));
    Err(format!("{how}\n{printed}").trim_end().to_owned())
}

/// Reads a stream to its end and keeps the beginning.
async fn kept(stream: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut stream) = stream else {
        return String::new();
    };
    let mut kept = Vec::new();
    // A stream that breaks off has ended.
    let _ = (&mut stream).take(KEPT).read_to_end(&mut kept).await;
    let left_out = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    let left_out = left_out.unwrap_or_default();
    let mut text = String::from_utf8_lossy(&kept).into_owned();
    if left_out > 0 {
        // Writing to a string does not fail.
        let _ = write!(text, "\n… and {left_out} bytes more");
    }
    text
}

/// The processes of a command. They end with this value, unless they have left the group.
struct Group(Pid);

impl Drop for Group {
    fn drop(&mut self) {
        // Where there is nobody left, there is nothing to do.
        let _ = kill_process_group(self.0, Signal::KILL);
    }
}
