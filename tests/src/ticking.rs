//! Sessions whose timers fire again and again, and processes that wake them and are killed.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

use plan_machine::gate::{EventContext, Gate, MachineSet};
use plan_machine::interpret::InterpretedMachine;
use plan_machine_kernel::time::Instant;
use plan_machine_sessions::store::{self, StoreError};
use plan_machine_sessions::{Session, SessionIdentity, Sessions};

use crate::dice::Dice;

/// The spec of a machine whose timer starts again whenever it fires.
pub const SPEC: &str = "
machine: Ticking
data: { ticks: { type: int, default: 0 } }
commands: { begin: /begin, end: /end }
effects: { ticked: { fields: { plan: id } } }
states:
  none: { on: { begin: RUNNING } }
  RUNNING:
    on: { end: { to: ENDED, next: none } }
    after: { 1s: { to: RUNNING, set: { ticks: ticks + 1 }, emit: { ticked: { plan: plan.id } } } }
  ENDED: { final: true }
";

/// The seconds between two rounds of a test: much more than the period of the timer.
const ROUND: u64 = 3600;

/// A process is killed after it has woken fewer sessions than this.
const LONGEST_LIFE: usize = 8;

/// The maximum number of processes that are started one after the other, each to replace a killed one: enough to wake
/// all sessions many times over.
const MOST_LIVES: usize = 10_000;

/// The maximum time that a process may take for one line. A test that passes never reaches this limit.
const LIMIT: Duration = Duration::from_secs(300);

/// Returns the machine.
///
/// # Panics
/// If the spec is not valid.
#[must_use]
pub fn machines() -> MachineSet {
    let machine = InterpretedMachine::read("ticking.yaml", SPEC).expect("a valid spec");
    let gate = Gate::builder().with(machine);
    gate.join().expect("a valid set of machines")
}

/// Returns the instant this many seconds after the start of the tests.
///
/// # Panics
///
/// If the instant is after the year 9999.
#[must_use]
pub fn at(seconds: u64) -> Instant {
    let start = EventContext::default().now.since_1970();
    Instant::from_since_1970(start + Duration::from_secs(seconds)).expect("before the year 10000")
}

/// Opens the sessions of a store.
///
/// # Errors
/// If the store cannot be opened.
pub async fn sessions(address: &str) -> Result<Sessions, StoreError> {
    Ok(Sessions::new(store::open(address).await?, machines()))
}

/// Sessions in one store, each with one timer.
pub struct Ticking {
    address: String,
    sessions: Sessions,
    all: Vec<SessionIdentity>,
    rounds: u64,
}

impl Ticking {
    /// Starts a timer in each of many new sessions.
    ///
    /// # Panics
    /// If the store fails.
    pub async fn start(address: &str, many: usize) -> Self {
        let sessions = sessions(address).await.expect("a store");
        let all = (0..many).map(|number| {
            let name = format!("ticking-{number:06}");
            SessionIdentity::new("ticking", &name).expect("an identity")
        });
        let all: Vec<SessionIdentity> = all.collect();
        for session in &all {
            let begun = sessions.session(session);
            let begun = begun.command("/begin", &EventContext::at(at(0))).await;
            begun.expect("the timer starts");
        }
        Self {
            address: address.to_owned(),
            sessions,
            all,
            rounds: 0,
        }
    }

    /// Lets processes compete to wake all sessions once more. Each process is killed after it has woken a few sessions,
    /// and another one takes its place, until nothing is due. Returns how many processes were killed at work: after they
    /// had woken a session, and before nothing was due.
    ///
    /// # Panics
    /// If a process fails, or if the processes make no progress.
    pub fn wake_and_kill(&mut self, program: &Path, processes: u64) -> usize {
        self.rounds += 1;
        let (address, until) = (self.address.as_str(), self.rounds * ROUND);
        thread::scope(|scope| {
            let places = (0..processes).map(|place| {
                let mut dice = Dice::new(until + place);
                scope.spawn(move || {
                    let mut kills = 0;
                    for _ in 0..MOST_LIVES {
                        let lines = dice.below(LONGEST_LIFE);
                        if is_idle(program, address, until, lines) {
                            return kills;
                        }
                        kills += usize::from(lines > 0);
                    }
                    panic!("{MOST_LIVES} processes have not woken all sessions");
                })
            });
            let places: Vec<_> = places.collect();
            let kills = places.into_iter().map(ScopedJoinHandle::join);
            kills.map(|kills| kills.expect("a thread")).sum()
        })
    }

    /// Checks in the journals that each timer has fired exactly once in each round, at its own instant.
    ///
    /// # Panics
    /// If a timer fired twice or not at all.
    pub async fn check(&self) {
        let expected: Vec<Instant> = (0..self.rounds)
            .map(|round| at(round * ROUND + 1))
            .collect();
        for identity in &self.all {
            let session = self.sessions.session(identity);
            assert_eq!(ticks(&session).await, expected, "{identity}");
            assert_eq!(session.verify(&machines()).await, Ok(Vec::new()));
            let effects = session.store().pending(identity, u32::MAX).await;
            let effects = effects.expect("the pending effects");
            assert_eq!(effects.len(), expected.len(), "{identity}");
        }
        let due = self.sessions.due(at(self.rounds * ROUND), 1).await;
        assert_eq!(due, Ok(Vec::new()));
        let next = at(self.rounds * ROUND + 1);
        let due = self.sessions.due(next, u32::MAX).await.expect("a list");
        assert_eq!(due.len(), self.all.len(), "every timer is running again");
    }
}

/// Returns the instants at which the timer of a session has fired.
async fn ticks(session: &Session) -> Vec<Instant> {
    let entries = session.history(1, u32::MAX).await.expect("the entries");
    let ticks = entries.iter().map(|entry| {
        assert_eq!(entry.event(), "RUNNING after 1s");
        entry.step.at
    });
    ticks.collect()
}

/// Starts a process that wakes the sessions that are due, and kills it after it has woken this many sessions, or when
/// nothing is due any more. Returns whether nothing was due.
fn is_idle(program: &Path, address: &str, until: u64, lines: usize) -> bool {
    let mut host = Command::new(program)
        .args(["wake", address, &until.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the host process starts");
    let output = BufReader::new(host.stdout.take().expect("the output of the process"));
    // The lines are read in a thread, so that a process that hangs does not stop this one.
    let (sender, output_lines) = mpsc::channel();
    let reader = thread::spawn(move || {
        let mut read = output.lines().map_while(Result::ok);
        read.try_for_each(|line| sender.send(line))
    });
    let mut last = Ok(String::new());
    for _ in 0..lines {
        last = output_lines.recv_timeout(LIMIT);
        if last.as_deref() != Ok("woken") {
            break;
        }
    }
    host.kill().expect("the process is killed");
    host.wait().expect("the process ends");
    drop(output_lines);
    // The lines that the process has written since then are ignored.
    let _ = reader.join().expect("the reader ends");
    last.expect("a process neither hangs nor ends by itself") == "idle"
}
