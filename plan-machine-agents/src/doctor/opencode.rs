//! Checks that opencode loads the plugin. opencode silently skips a plugin that it cannot load.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use plan_machine_kernel::json::Json;

use super::finding::{Finding, init};
use super::heartbeat;
use crate::install::InstallTarget;
use crate::project::Site;

const CHECK: &str = "agent";

/// How long opencode may take to start, and to answer a request.
const LIMIT: Duration = Duration::from_secs(60);

/// Why opencode could not be asked.
#[derive(Debug, thiserror::Error)]
enum AskError {
    #[error("`opencode` is not in the PATH")]
    NotInstalled,
    #[error("`opencode serve` gave no usable answer: {0}")]
    NoAnswer(String),
}

/// Sends a message that needs no answer through the real opencode, and checks whether the plugin calls the hook.
pub(super) fn check(target: &InstallTarget<'_>, site: &Site) -> Finding {
    let before = heartbeat::text(target, site);
    match ask(target) {
        Err(error @ AskError::NotInstalled) => return Finding::skipped(CHECK, error.to_string()),
        Err(error) => {
            return Finding::wrong(
                CHECK,
                error.to_string(),
                "start `opencode` in this folder and read its messages",
            );
        }
        Ok(()) => {}
    }
    let after = heartbeat::text(target, site);
    if after.is_none() || after == before {
        return Finding::wrong(
            CHECK,
            "opencode does not load the plugin of plan-machine, so nothing is gated",
            init(target),
        );
    }
    Finding::well(
        CHECK,
        "opencode loads the plugin, and the plugin calls the hook",
    )
}

fn ask(target: &InstallTarget<'_>) -> Result<(), AskError> {
    let mut server = Command::new("opencode")
        .args(["serve", "--hostname", "127.0.0.1", "--port", "0"])
        .current_dir(target.project)
        // opencode works in the folder that this variable names, and not in its working directory.
        .env("PWD", target.project)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|_| AskError::NotInstalled)?;
    let asked = address(&mut server).and_then(converse);
    // This fails if the process has already ended.
    let _ = server.kill();
    let _ = server.wait();
    asked.map_err(AskError::NoAnswer)
}

/// Returns the address that the server prints.
fn address(server: &mut Child) -> Result<SocketAddr, String> {
    let stdout = server.stdout.take().ok_or("it has no output")?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let found = line
                .split("http://")
                .nth(1)
                .and_then(|rest| rest.trim().parse::<SocketAddr>().ok());
            if let Some(found) = found {
                // This fails after the time limit, because the receiver has been dropped.
                let _ = sender.send(found);
            }
        }
    });
    receiver
        .recv_timeout(LIMIT)
        .map_err(|_| "it did not start".to_owned())
}

/// Creates a conversation, sends a message that the model does not get, and deletes the conversation.
fn converse(server: SocketAddr) -> Result<(), String> {
    let created = request(
        server,
        "POST",
        "/session",
        "{\"title\":\"plan-machine doctor\"}",
    )?;
    let id = Json::parse(&created).ok();
    let id = id
        .as_ref()
        .and_then(|created| created.as_object()?.get("id")?.as_text());
    let id = id.ok_or("it created no session")?.to_owned();
    let message =
        "{\"noReply\":true,\"parts\":[{\"type\":\"text\",\"text\":\"plan-machine doctor\"}]}";
    request(server, "POST", &format!("/session/{id}/message"), message)?;
    request(server, "DELETE", &format!("/session/{id}"), "")?;
    Ok(())
}

/// Sends a request and returns the body of the answer.
fn request(server: SocketAddr, method: &str, path: &str, body: &str) -> Result<String, String> {
    let said = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect_timeout(&server, LIMIT).map_err(said)?;
    stream.set_read_timeout(Some(LIMIT)).map_err(said)?;
    let length = body.len();
    let text = format!(
        "{method} {path} HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes()).map_err(said)?;
    let mut answer = Vec::new();
    stream
        .take(1 << 20)
        .read_to_end(&mut answer)
        .map_err(said)?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .ok_or("its answer is not HTTP")?;
    if head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked")
    {
        let lines = body.split("\r\n").skip(1).step_by(2);
        return Ok(lines.collect());
    }
    Ok(body.to_owned())
}
