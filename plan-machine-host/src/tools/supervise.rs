//! The supervisor of one shell command: a process between the host and the shell.
//!
//! ```text
//! host ─ a pipe ─ supervisor ─ sh and everything that it starts: one process group
//! ```
//!
//! The host holds the other end of the pipe. When the pipe is closed, because the command was stopped or the host was
//! killed, the supervisor kills the group: no command outlives the host. It does the same when it receives a
//! termination signal. On Linux, it then also kills processes that have left the group, for example with `setsid`. The
//! supervisor and the command each have their own process group, so that Ctrl-C at a terminal reaches only the host.

use std::ffi::OsStr;
use std::future::poll_fn;
use std::io::{self, stderr, stdin};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::thread;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, kill_process_group, waitid,
};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use super::orphans::{adopt_orphans, end_orphans};

/// The signals that ask a process to terminate.
const ENDING: [fn() -> SignalKind; 4] = [
    SignalKind::terminate,
    SignalKind::hangup,
    SignalKind::interrupt,
    SignalKind::quit,
];

/// The exit code of a shell that cannot find a command, used here if the shell itself cannot be started.
const NOT_FOUND: u8 = 127;

/// Runs a command until it ends, standard input is closed, or a termination signal arrives. Then exits the way the
/// command ended.
#[must_use]
pub fn supervise(command: &OsStr) -> ExitCode {
    // The signals are registered before the command starts, so that none of them ends this process and leaves the
    // command behind.
    let signals = match Signals::listen() {
        Ok(signals) => signals,
        Err(error) => return not_started(&error),
    };
    if let Err(error) = adopt_orphans() {
        return not_started(&error);
    }
    let shell = Command::new("sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::null())
        .process_group(0)
        .spawn();
    let mut shell = match shell {
        Ok(shell) => shell,
        Err(error) => return not_started(&error),
    };
    let leader = Pid::from_child(&shell);
    let group = Arc::new(Group(Mutex::new(Some(leader))));
    let watched = Arc::clone(&group);
    thread::spawn(move || {
        // A pipe that cannot be read counts as closed.
        let _ = io::copy(&mut stdin().lock(), &mut io::sink());
        watched.kill();
    });
    let asked = Arc::clone(&group);
    thread::spawn(move || {
        signals.wait();
        asked.kill();
    });
    // The shell is not reaped until its group is killed, so its process id cannot belong to another process.
    let _ = waitid(
        WaitId::Pid(leader),
        WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
    );
    group.kill();
    let ended = shell.wait();
    end_orphans();
    ended.map_or(ExitCode::FAILURE, end_like)
}

fn not_started(error: &io::Error) -> ExitCode {
    // If standard error cannot be written, the exit code reports the failure.
    let _ = io::Write::write_fmt(
        &mut stderr(),
        format_args!("the shell cannot be started: {error}\n"),
    );
    ExitCode::from(NOT_FOUND)
}

/// Listens for the signals that ask a process to terminate.
struct Signals {
    runtime: Runtime,
    heard: Vec<tokio::signal::unix::Signal>,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_io().build()?;
        let heard = {
            let _entered = runtime.enter();
            ENDING
                .into_iter()
                .map(|kind| signal(kind()))
                .collect::<io::Result<_>>()?
        };
        Ok(Self { runtime, heard })
    }

    /// Waits until one of the signals arrives.
    fn wait(mut self) {
        self.runtime.block_on(poll_fn(|context| {
            let mut heard = self.heard.iter_mut();
            if heard.any(|one| one.poll_recv(context).is_ready()) {
                return Poll::Ready(());
            }
            Poll::Pending
        }));
    }
}

/// The process group of a command; `None` once the group has been killed.
struct Group(Mutex<Option<Pid>>);

impl Group {
    /// Kills the group, but only once: afterwards, the group's id may be reused for another group.
    fn kill(&self) {
        let mut group = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(leader) = group.take() {
            // If no process is left, there is nothing to kill.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

/// Exits the way the command ended, with the same signal if there was one.
fn end_like(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
        // This process handles some signals itself, so it replaces itself with a program that does not handle them.
        let mut ends = Command::new("sh");
        ends.args(["-c", "kill -\"$0\" $$", &signal.as_raw().to_string()]);
        // If that program cannot be started, this process sends the signal to itself. If the signal does not end this
        // process, the exit code reports how the command ended.
        let _ = ends.exec();
        let _ = kill_process(getpid(), signal);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    code.map_or(ExitCode::FAILURE, ExitCode::from)
}
