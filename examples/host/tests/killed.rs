//! The host can be killed at any point, and a new host continues from there.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use plan_machine_tests::postgres::Server;

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
}

/// Kills the host at each of its questions, so that it gets one question further each time.
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
