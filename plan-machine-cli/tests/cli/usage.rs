//! Tests of incorrect usage.

use std::io::Write;
use std::process::{Command, Stdio};

use super::{corpus, valid};

#[test]
fn wrong_usage_has_status_two() {
    for line in [
        "",
        "chek work_by_plan.yaml",
        "check",
        "check --format xml work_by_plan.yaml",
        "tools work_by_plan.yaml",
        "diagram work_by_plan.yaml --format png",
        "run",
        "run work_by_plan.yaml --store mysql:x",
    ] {
        let output = valid(line, "");
        assert!(output.ends_with("--- status 2\n"), "{output}");
    }
}

#[test]
fn a_missing_file_and_a_folder_have_status_two() {
    for line in [
        "run missing.yaml",
        "table .",
        "test missing.yaml",
        "check .",
    ] {
        let output = valid(line, "");
        assert!(output.contains("error: cannot read `"), "{output}");
        assert!(output.ends_with("--- status 2\n"), "{output}");
    }
}

#[test]
fn a_reader_that_goes_away_ends_a_run_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_plan-machine"))
        .current_dir(corpus("valid"))
        .args(["run", "work_by_plan.yaml"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    // The process may end before it has read everything.
    for _ in 0..10_000 {
        if input.write_all(b"{\"do\":\"/plan on\"}\n").is_err() {
            break;
        }
    }
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}
