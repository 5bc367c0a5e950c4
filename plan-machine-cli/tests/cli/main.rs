//! Tests of the `plan-machine` command from the outside.

mod agents;
mod cargo;
mod charts;
mod check;
mod classify;
mod damaged_lines;
mod damaged_plans;
mod damaged_rows;
mod diff;
mod documents;
mod expand;
mod explain;
mod gated;
mod generate;
mod help;
mod install;
mod joint;
mod log;
mod mutate;
mod new;
mod people;
mod plan_modes;
mod read_only;
mod run;
mod salvage;
mod scenarios;
mod schema;
mod serve;
mod shared_store;
mod shown;
mod stored;
mod traces;
mod usage;
mod waits;

use std::path::{Path, PathBuf};

use assert_cmd::Command;

/// Returns a folder of specs.
fn corpus(folder: &str) -> PathBuf {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    corpus.join(folder)
}

/// Returns the command, started in a folder so that file names are short.
fn plan_machine(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plan-machine"));
    command.current_dir(folder).args(line.split_whitespace());
    // The user who runs the tests may have colors enabled everywhere.
    command.env_remove("CLICOLOR_FORCE");
    command
}

/// Returns a transcript of a command: its status and both of its output streams.
fn transcript(folder: &Path, line: &str, input: impl Into<Vec<u8>>) -> String {
    let output = plan_machine(folder, line)
        .write_stdin(input)
        .output()
        .expect("the command starts");
    let status = output.status.code().expect("it ends by itself");
    let text = |bytes| timeless(&String::from_utf8(bytes).expect("it prints UTF-8"));
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    let mut shown = format!("$ plan-machine {line}\n{stdout}");
    if !stderr.is_empty() {
        shown.extend(["--- standard error\n", &stderr]);
    }
    shown + &format!("--- status {status}\n")
}

/// Returns a transcript for the valid specs.
fn valid(line: &str, input: impl Into<Vec<u8>>) -> String {
    transcript(&corpus("valid"), line, input)
}

/// Returns a transcript for specs with problems.
fn invalid(line: &str) -> String {
    transcript(&corpus("invalid"), line, "")
}

/// Returns a separate folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    folder
}

/// Returns a separate, empty folder for a test.
fn fresh(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        std::fs::remove_dir_all(&path).expect("the folder of an earlier run can be removed");
    }
    folder(name)
}

/// Replaces durations such as `3 ms`, which vary.
fn timeless(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let took = line
            .strip_suffix(" ms")
            .and_then(|line| line.rsplit_once(' '));
        lines.push(match took {
            Some((before, _)) => format!("{before} [time]"),
            None => line.to_owned(),
        });
    }
    lines.join("\n")
}
