//! Runs Cargo on crates that tests create: offline, with the dependency versions of this repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Returns the path of this repository's crate `plan-machine`.
pub(crate) fn plan_machine_crate() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../plan-machine")
}

/// Returns the target folder that all of these crates share.
fn target() -> PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let target = temporary.parent().unwrap_or(temporary);
    target.join("tests/crates")
}

/// Runs Cargo in the folder of a crate. Snapshots are compared, never written.
pub(crate) fn cargo(folder: &Path, line: &str) -> Output {
    let mut command = command(folder, line);
    command.output().expect("Cargo starts")
}

/// Runs Cargo and accepts the snapshots of the tests.
pub(crate) fn accept_snapshots(folder: &Path, line: &str) {
    let mut command = command(folder, line);
    command.env("INSTA_UPDATE", "always");
    command.output().expect("Cargo starts");
}

fn command(folder: &Path, line: &str) -> Command {
    let lock = folder.join("Cargo.lock");
    if !lock.exists() {
        let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
        fs::copy(ours, lock).expect("the versions of this repository");
    }
    let mut command = Command::new(env!("CARGO"));
    command
        .current_dir(folder)
        .args(line.split_whitespace())
        .arg("--offline")
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_TERM_COLOR", "never")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env("INSTA_UPDATE", "no")
        .env_remove("CLICOLOR_FORCE");
    command
}

/// Runs Cargo, which must succeed without warnings; returns its output.
pub(crate) fn fine(folder: &Path, line: &str) -> String {
    let output = cargo(folder, line);
    let (stdout, stderr) = texts(output.stdout, output.stderr);
    assert!(output.status.success(), "cargo {line}\n{stdout}\n{stderr}");
    assert!(!stderr.contains("warning"), "cargo {line}\n{stderr}");
    stdout
}

/// Runs Cargo, which must fail; returns the errors that refer to the crate itself.
pub(crate) fn errors(folder: &Path, line: &str) -> String {
    let output = cargo(folder, line);
    let (_, stderr) = texts(output.stdout, output.stderr);
    assert!(!output.status.success(), "cargo {line} succeeds");
    let said = stderr.lines().skip_while(|line| !line.starts_with("error"));
    let said = said.take_while(|line| {
        let is_end = |end: &&str| line.starts_with(*end);
        let ends = ["error: could not compile", "For more information"];
        !ends.iter().any(is_end)
    });
    let said: Vec<&str> = said.map(str::trim_end).collect();
    said.join("\n").trim_end().to_owned()
}

fn texts(stdout: Vec<u8>, stderr: Vec<u8>) -> (String, String) {
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    (text(stdout), text(stderr))
}
