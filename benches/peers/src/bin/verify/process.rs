//! Checkers that run as separate programs.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::description::Verdict;

/// The result of a run.
pub struct Checked {
    pub verdict: Verdict,
    /// The number of states that the checker stored.
    pub states: usize,
    /// The time of the translation, the compiler and the search.
    pub time: Duration,
    /// The time of the search alone, including the start of its process.
    pub search: Duration,
}

/// Runs a program in a folder.
pub fn run(folder: &Path, program: &str, arguments: &[&str]) -> Result<Output, String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .map_err(|error| format!("cannot run `{program}`: {error}"))?;
    if output.status.success() {
        Ok(output)
    } else {
        let error = String::from_utf8_lossy(&output.stderr);
        Err(format!("`{program}` failed: {error}"))
    }
}
