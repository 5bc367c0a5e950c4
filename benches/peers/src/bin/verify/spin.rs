//! Runs SPIN: translates a model to C, compiles the C, and runs the verifier.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::description::Verdict;
use crate::process::{Checked, run};

/// Returns whether SPIN is installed.
pub fn is_installed() -> bool {
    Command::new("spin").arg("-V").output().is_ok()
}

/// Checks a model in a folder, which must exist.
pub fn check(model: &str, folder: &Path) -> Result<Checked, String> {
    fs::write(folder.join("ring.pml"), model).map_err(|error| error.to_string())?;
    let start = Instant::now();
    run(folder, "spin", &["-a", "ring.pml"])?;
    // Without liveness, SPIN needs less time and memory.
    run(
        folder,
        "gcc",
        &["-O2", "-w", "-DSAFETY", "-o", "pan", "pan.c"],
    )?;
    let compiled = Instant::now();
    // The search is depth first, so its depth can be as large as the number of states. A smaller hash table than the
    // default of 128 MB is set up faster.
    let output = run(folder, "./pan", &["-m200000", "-w18"])?;
    let (search, time) = (compiled.elapsed(), start.elapsed());
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(Checked {
        verdict: verdict(&text).ok_or_else(|| text.to_string())?,
        states: number_before(&text, " states, stored").ok_or_else(|| text.to_string())?,
        time,
        search,
    })
}

/// Reads the verdict. A search that was not deep enough or ran out of memory decides nothing.
fn verdict(text: &str) -> Option<Verdict> {
    let is_partial = text.contains("max search depth too small")
        || (text.contains("Search not completed") && !text.contains("assertion violated"));
    let (_, errors) = text.split_once("errors: ")?;
    Some(match errors.lines().next()?.trim() {
        "0" if is_partial => Verdict::Unknown,
        "0" => Verdict::Holds,
        _ if text.contains("assertion violated") => Verdict::Broken,
        _ => Verdict::Unknown,
    })
}

fn number_before(text: &str, unit: &str) -> Option<usize> {
    let line = text.lines().find(|line| line.contains(unit))?;
    line.split_whitespace().next()?.parse().ok()
}
