//! The time from the start of a hook process to its end, and the processor time that it takes, compared with other
//! processes and with a bare write. The store has 10,000 sessions. All sides are measured in turns, in one run. On a
//! busy computer, the highest times mostly show how busy the computer was; the processor time hardly depends on the
//! load.
//!
//! `hook PROGRAM`: PROGRAM is the path of an optimized `plan-machine`. The same folder must contain an optimized
//! `plan-machine-hook`, the program that agents run once `plan-machine init` has configured them.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use plan_machine::gate::{EventContext, TurnId};
use plan_machine_agents::install::tool_command;
use plan_machine_agents::keeper::{Keeper, identity};
use plan_machine_agents::project::{Site, StateFolder};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

const SESSIONS: u32 = 10_000;
const ROUNDS: u32 = 500;

/// The cost of running a process, or of a write.
#[derive(Clone, Copy)]
struct Taken {
    time: Duration,
    processor: Duration,
}

/// A hook like those of many projects: it reads two fields with `jq` and searches for forbidden words.
const SCRIPT: &str = r#"#!/bin/bash
input=$(cat)
tool=$(jq -r .tool_name <<<"$input")
command=$(jq -r '.tool_input.command // ""' <<<"$input")
if [ "$tool" = Bash ] && grep -q 'rm -rf' <<<"$command"; then
  echo "forbidden" >&2
  exit 2
fi
exit 0
"#;

fn main() {
    let Some(program) = std::env::args().nth(1).filter(|arg| !arg.starts_with('-')) else {
        println!("usage: hook PROGRAM (the path of an optimized plan-machine)");
        return;
    };
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on disk");
    let bench = Bench::new(place.path(), program.into());
    bench.fill();
    bench.measure();
}

struct Bench {
    place: PathBuf,
    program: PathBuf,
    script: PathBuf,
}

impl Bench {
    /// Sets up the gate for Codex in a project, as a user would.
    fn new(place: &Path, program: PathBuf) -> Self {
        let bench = Self {
            place: place.to_owned(),
            script: place.join("hook.sh"),
            program,
        };
        fs::create_dir_all(bench.project()).expect("a folder");
        fs::write(&bench.script, SCRIPT).expect("a script");
        let mut init = bench.command(&bench.program);
        let init = init.args(["init", "--agent", "codex", "--yes"]);
        let output = init.output().expect("an output");
        assert!(output.status.success(), "{output:?}");
        bench
    }

    fn project(&self) -> PathBuf {
        self.place.join("project")
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env("PLAN_MACHINE_HOME", self.place.join("state"))
            .env("HOME", &self.place)
            .env_remove("XDG_CONFIG_HOME")
            .current_dir(self.project());
        command
    }

    /// Fills the store with sessions.
    fn fill(&self) {
        let home = StateFolder::at(self.place.join("state"));
        let site = Site::of_project(&home, &self.project());
        let runtime = Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let keeper = Keeper::open(&home, site, &self.project()).await;
            let keeper = keeper.expect("an open gate");
            let mut all = JoinSet::new();
            for number in 0..SESSIONS {
                let identity = identity("codex", &format!("talk-{number}")).expect("an identity");
                let session = keeper.session(&identity);
                all.spawn(async move {
                    let around = EventContext::now().by("codex");
                    session
                        .begin_turn(&TurnId::new("conversation"), &around)
                        .await
                });
            }
            while let Some(begun) = all.join_next().await {
                begun.expect("no panic").expect("a turn");
            }
            keeper.close().await.expect("closed");
        });
    }

    fn measure(&self) {
        let mut sides: [(&str, Vec<Taken>); 9] = [
            "/bin/true",
            "a bare durable write, no process",
            "bash and jq",
            "plan-machine-hook, not gated",
            "plan-machine-hook, a read that runs",
            "plan-machine-hook, a read, as installed",
            "plan-machine-hook, a write that is denied",
            "plan-machine-hook, another event",
            "plan-machine hook, a read that runs",
        ]
        .map(|name| (name, Vec::new()));
        let program = self.program.with_file_name("plan-machine-hook");
        let command = program.display().to_string();
        let command = tool_command(&command, "codex").expect("a path without special characters");
        let mut file = File::create(self.place.join("bare")).expect("a file");
        for round in 0..ROUNDS {
            let read = self.call(round, "r", "cat seed.txt");
            let installed = self.call(round, "i", "cat seed.txt");
            let write = self.call(round, "w", "touch x");
            let other = read.replace("PreToolUse", "Notification");
            let elsewhere = read.replace("project", "");
            let mut shell = self.command(Path::new("sh"));
            shell.args(["-c", &command]);
            let whole = self.call(round, "p", "cat seed.txt");
            let hook = |program: &Path| {
                let mut hook = self.command(program);
                hook.args(["hook", "--agent", "codex"]);
                hook
            };
            let (mut hook, mut subcommand) = (hook(&program), hook(&self.program));
            let took = [
                timed(&mut Command::new("/bin/true"), ""),
                durable(&mut file),
                timed(Command::new("bash").arg(&self.script), &read),
                timed(&mut hook, &elsewhere),
                timed(&mut hook, &read),
                timed(&mut shell, &installed),
                timed(&mut hook, &write),
                timed(&mut hook, &other),
                timed(&mut subcommand, &whole),
            ];
            for ((_, all), took) in sides.iter_mut().zip(took) {
                all.push(took);
            }
        }
        println!(
            "{:<42} {:>10} {:>10} {:>20} {:>10}",
            "milliseconds", "median", "99 %", "processor: median", "99 %"
        );
        for (name, all) in sides {
            let [median, highest] = percentiles(all.iter().map(|taken| taken.time));
            let [usual, most] = percentiles(all.iter().map(|taken| taken.processor));
            println!("{name:<42} {median:>10.1} {highest:>10.1} {usual:>20.1} {most:>10.1}");
        }
    }

    /// Returns an event of Codex: a call to its shell.
    fn call(&self, round: u32, id: &str, line: &str) -> String {
        let talk = round * 37 % SESSIONS;
        format!(
            r#"{{"session_id":"talk-{talk}","cwd":"{}","hook_event_name":"PreToolUse","turn_id":"t1","tool_name":"Bash","tool_input":{{"command":"{line}"}},"tool_use_id":"{id}{round}"}}"#,
            self.project().display()
        )
    }
}

/// Returns the median and the 99th percentile in milliseconds.
fn percentiles(all: impl Iterator<Item = Duration>) -> [f64; 2] {
    let mut all: Vec<Duration> = all.collect();
    all.sort_unstable();
    [50, 99].map(|part| all[all.len() * part / 100].as_secs_f64() * 1000.0)
}

/// Returns the processor time of all processes that this process has started, or of this process itself.
fn processor_time(of: UsageWho) -> Duration {
    let usage = getrusage(of).expect("the usage");
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Duration::from_micros(micros.try_into().expect("a time since the start"))
}

/// Runs a process to its end.
fn timed(command: &mut Command, input: &str) -> Taken {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let spent = processor_time(UsageWho::RUSAGE_CHILDREN);
    let began = Instant::now();
    let mut child = command.spawn().expect("a process");
    // A process may end without reading its input.
    let _ = child
        .stdin
        .take()
        .expect("its input")
        .write_all(input.as_bytes());
    child.wait().expect("its end");
    Taken {
        time: began.elapsed(),
        processor: processor_time(UsageWho::RUSAGE_CHILDREN).saturating_sub(spent),
    }
}

/// Writes a page and waits for the disk.
fn durable(file: &mut File) -> Taken {
    let spent = processor_time(UsageWho::RUSAGE_SELF);
    let began = Instant::now();
    file.write_all(&[7; 2048]).expect("written");
    file.sync_data().expect("on disk");
    Taken {
        time: began.elapsed(),
        processor: processor_time(UsageWho::RUSAGE_SELF).saturating_sub(spent),
    }
}
