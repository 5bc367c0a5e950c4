//! `cargo run` at the root builds what the bot needs and no more.

use std::fs;
use std::process::Command;

#[test]
fn the_bot_is_started_with_the_arguments_of_the_user() {
    let cargo = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cargo");
    let mut start = Command::new(env!("CARGO_BIN_EXE_start"));
    let output = start.env("CARGO", cargo).args(["demo", "--a b"]).output();
    let output = output.expect("it starts").stdout;
    let lines = String::from_utf8(output).expect("text");
    let mut lines = lines.lines().filter(|line| *line != "--release");
    assert_eq!(lines.next(), Some("run"));
    assert_eq!(lines.next(), Some("--manifest-path"));
    let manifest = lines.next().expect("the manifest");
    let manifest = fs::read_to_string(manifest).expect("a file");
    assert!(manifest.contains("name = \"plan-bot\""), "{manifest}");
    assert_eq!(lines.collect::<Vec<_>>(), ["--", "demo", "--a b"]);
}

#[test]
fn without_cargo_the_error_says_what_to_type() {
    let mut start = Command::new(env!("CARGO_BIN_EXE_start"));
    let output = start.env_remove("CARGO").output().expect("it starts");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(
        !output.status.success() && said.contains("cargo run"),
        "{said}"
    );
}

/// The first build of the bot is what a newcomer waits for.
#[test]
fn the_bot_is_built_without_the_spec_compiler() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut tree = Command::new(env!("CARGO"));
    tree.current_dir(root)
        .args(["tree", "--offline", "--locked"]);
    let output = tree.args(["-p", "plan-bot", "-e", "normal,build", "--prefix", "none"]);
    let output = output.output().expect("Cargo starts");
    let packages = String::from_utf8(output.stdout).expect("text");
    assert!(packages.contains("plan-machine-host"), "{packages}");
    for heavy in [
        "plan-machine-compiler",
        "plan-machine-macros",
        "reqwest",
        "axum",
    ] {
        assert!(!packages.contains(heavy), "{heavy} is built:\n{packages}");
    }
}
