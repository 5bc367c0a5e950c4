//! `cargo run` at the root of the repository: builds the example bot and starts it.
//!
//! `cargo run` without `-p` builds a program with the features that all members of the workspace need together. For the
//! bot, this would include the spec compiler and take twice as long. This program has no dependencies, so it builds in
//! a second, and then it asks Cargo for the bot alone. For other options of Cargo, use `cargo run -p plan-bot`.

use std::env;
use std::ffi::OsString;
use std::io::{Write as _, stderr};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let error = match env::var_os("CARGO") {
        Some(cargo) => started(cargo),
        None => {
            "start the bot with `cargo run`, or build it with `cargo build -p plan-bot`".to_owned()
        }
    };
    // If standard error cannot be written, the exit code reports the failure.
    let _ = writeln!(stderr(), "error: {error}");
    ExitCode::FAILURE
}

/// Replaces this process with the bot; returns only on an error.
fn started(cargo: OsString) -> String {
    use std::os::unix::process::CommandExt as _;
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../bot/Cargo.toml");
    let mut run = Command::new(cargo);
    run.args(["run", "--manifest-path", manifest]);
    if !cfg!(debug_assertions) {
        run.arg("--release");
    }
    run.arg("--").args(env::args_os().skip(1));
    format!("cannot start Cargo: {}", run.exec())
}
