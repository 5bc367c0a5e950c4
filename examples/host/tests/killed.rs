//! The host can be killed at any point, and a new host continues from there.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use plan_machine::Object;
use plan_machine::gate::Gate;
use plan_machine_sessions::store;
use plan_machine_sessions::{SessionIdentity, Sessions};
use plan_machine_tests::dice::Dice;
use plan_machine_tests::postgres::Server;
use plan_machine_tests::soak::times;
use plan_specs::plan_mode;
use tokio::runtime::Runtime;

/// More lines of input than a host ever asks for.
const LINES: usize = 12;

/// The number of hosts that are killed before one may finish the plan.
const KILLS: usize = 40;

struct Host {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Host {
    fn start(address: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_example-host"))
            .arg(address)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a host");
        let input = process.stdin.take().expect("its input");
        let output = BufReader::new(process.stdout.take().expect("its output"));
        Self {
            process,
            input,
            output,
        }
    }

    /// Returns the output of the host, up to its next question or its end.
    fn until_asked(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        let mut line = String::new();
        while self.output.read_line(&mut line).expect("a line") > 0 {
            said.push(line.trim().to_owned());
            line.clear();
            if said.last().is_some_and(|said| said.contains("Enter")) {
                break;
            }
        }
        said
    }

    fn enter(&mut self) {
        self.input.write_all(b"\n").expect("written");
    }

    fn kill(mut self) {
        self.process.kill().expect("killed");
        self.process.wait().expect("an end");
    }

    /// Returns the rest of the host's output. If a time is given, the host is killed after that time.
    fn last_words(mut self, after: Option<Duration>) -> String {
        if let Some(after) = after {
            let began = Instant::now();
            while began.elapsed() < after {
                std::hint::spin_loop();
            }
            self.process.kill().expect("killed");
        }
        let mut said = String::new();
        let read = self.output.read_to_string(&mut said);
        read.expect("whole characters");
        self.process.wait().expect("an end");
        said
    }
}

/// Kills a host at each of its questions, so that each host gets one question further than the host before it.
fn goes_on_where_it_was(address: &str) {
    let mut all: Vec<String> = Vec::new();
    let done = |all: &[String]| {
        all.last()
            .is_some_and(|said| said == "nothing is left to do")
    };
    for _ in 0..20 {
        let mut host = Host::start(address);
        all.extend(host.until_asked());
        host.enter();
        all.extend(host.until_asked());
        host.kill();
        if done(&all) {
            break;
        }
    }
    let times = |what: &str| all.iter().filter(|said| said.contains(what)).count();
    for step in 0..3 {
        assert_eq!(times(&format!("step {step} is done")), 1, "{all:#?}");
    }
    assert_eq!(times("the plan has ended: COMPLETED"), 1, "{all:#?}");
    assert_eq!(times("[Plan finalized]"), 1, "{all:#?}");
    assert!(done(&all), "{all:#?}");
}

#[test]
fn a_plan_in_a_file_survives_its_host() {
    let folder = tempfile::tempdir().expect("a folder");
    goes_on_where_it_was(&format!(
        "sqlite:{}",
        folder.path().join("plans.db").display()
    ));
}

#[test]
fn a_plan_in_a_database_survives_its_host() {
    let server = Server::start();
    goes_on_where_it_was(&server.url("postgres"));
}

/// The content of a store while no host is running.
struct Stored {
    /// The names of the events that were accepted.
    events: Vec<String>,
    /// Whether the plan has ended and no effect is left.
    is_over: bool,
}

impl Stored {
    fn at(address: &str) -> Self {
        Runtime::new()
            .expect("a runtime")
            .block_on(Self::read(address))
    }

    async fn read(address: &str) -> Self {
        let machines = Gate::builder()
            .with(plan_mode::Machine)
            .host_tool("cook", "Cooks a dish.", Object::new())
            .join()
            .expect("the machines of the host");
        let store = store::open(address).await.expect("a store");
        let sessions = Sessions::new(Arc::clone(&store), machines);
        let name = SessionIdentity::new("terminal", "example-host").expect("an identity");
        let session = sessions.session(&name);
        let history = session.history(0, 1000).await.expect("a journal");
        let events = history.iter().map(|entry| entry.event().to_owned());
        let events: Vec<String> = events.collect();
        let plans = session.plans_of::<plan_mode::Machine>().await;
        let has_plan = !plans.expect("plans").is_empty();
        let has_effect = !session.effects().await.expect("effects").is_empty();
        store.close().await.expect("a closed store");
        Self {
            is_over: !events.is_empty() && !has_plan && !has_effect,
            events,
        }
    }

    fn times(&self, event: &str) -> usize {
        let events = self.events.iter();
        events.filter(|found| *found == event).count()
    }
}

/// Starts hosts and kills each of them after a random time, until the plan is over; returns the number of hosts.
fn killed_at_random_moments(address: &str, dice: &mut Dice, usual: Duration) -> usize {
    let mut said = String::new();
    let mut hosts = 0;
    loop {
        let is_killed = hosts < KILLS;
        // The first host cannot finish the plan, and the last one can.
        let lines = match hosts {
            0 => dice.below(4),
            _ if is_killed => dice.below(LINES),
            _ => LINES,
        };
        let most = usize::try_from(usual.as_micros() * 5 / 4).unwrap_or(usize::MAX);
        let after = u64::try_from(dice.below(most)).unwrap_or(u64::MAX);
        let mut host = Host::start(address);
        // A host that has nothing left to do does not read.
        let _ = host.input.write_all("\n".repeat(lines).as_bytes());
        said += &host.last_words(is_killed.then(|| Duration::from_micros(after)));
        hosts += 1;
        let stored = Stored::at(address);
        if stored.is_over {
            each_step_was_done_once(&stored, &said);
            return hosts;
        }
        assert!(is_killed, "the plan does not go on: {said}");
    }
}

fn each_step_was_done_once(stored: &Stored, said: &str) {
    let events = &stored.events;
    // There is one plan, and it was not proposed or approved twice.
    for (event, times) in [
        ("plan_on", 1),
        ("plan_finalize", 1),
        ("approve", 1),
        ("step_completed", 3),
    ] {
        assert_eq!(stored.times(event), times, "{event}: {events:#?}\n{said}");
    }
    // A step that may have run starts again only if the person has pressed Enter for it.
    let (started, again) = (stored.times("step_started"), stored.times("resume_again"));
    assert_eq!(stored.times("restarted"), again, "{events:#?}\n{said}");
    assert_eq!(started, 3 + again, "{events:#?}\n{said}");
    let runs = |dish: &str| {
        let line = format!(r#"cook {{"dish":"{dish}"}}"#);
        said.lines().filter(|said| **said == line).count()
    };
    let runs = ["soup", "fish", "cake"].map(runs);
    assert!(runs.iter().all(|runs| *runs > 0), "{runs:?}\n{said}");
    assert!(runs.iter().sum::<usize>() <= started, "{runs:?}\n{said}");
}

#[test]
fn a_host_that_is_killed_at_random_moments_does_each_step_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = |name: &str| format!("sqlite:{}", folder.path().join(name).display());
    let began = Instant::now();
    let mut host = Host::start(&address("whole.db"));
    let lines = "\n".repeat(LINES);
    host.input.write_all(lines.as_bytes()).expect("written");
    let said = host.last_words(None);
    let usual = began.elapsed();
    each_step_was_done_once(&Stored::at(&address("whole.db")), &said);
    let mut dice = Dice::new(18);
    let plans = times(10);
    let mut hosts = 0;
    for plan in 0..plans {
        let name = format!("{plan}.db");
        hosts += killed_at_random_moments(&address(&name), &mut dice, usual);
    }
    // The first host of each plan was killed.
    assert!(hosts > plans, "{hosts} hosts, {plans} plans");
    println!("{hosts} hosts, {plans} plans: no step lost, none repeated");
}
