//! Promises of `has`: if a promise is reported as broken, some run must break it, whatever else is wrong with the spec.

use std::collections::BTreeSet;

use plan_machine_compiler::Compilation;
use plan_machine_compiler::prove::inspect::Explored;
use plan_machine_tests::compiled;

use crate::brute::Search;
use crate::examine::Fault;
use crate::is_valid;

/// An unreachable state, which is an error unrelated to promises.
const ORPHAN: &str = "\n  ORPHAN: { final: true }\n";

/// Returns the field, the state and the event of each promise that is reported as broken.
fn reported(compilation: &Compilation) -> BTreeSet<(String, String, String)> {
    let found = compilation.diagnostics.iter();
    let broken = found.filter(|found| found.code.as_str() == "PM0403");
    broken
        .filter_map(|found| {
            let mut names = found.message.split('`').skip(1).step_by(2);
            let (field, state) = (names.next()?, names.next()?);
            Some((field.to_owned(), state.to_owned(), names.next()?.to_owned()))
        })
        .collect()
}

/// Compares the reports with runs of the same machine without its promises, and with the reports for a spec that also
/// has another error.
pub(crate) fn examine_promises(text: &str) -> Vec<(Fault, String)> {
    let mut faults = Vec::new();
    let is_promise = |line: &&str| line.trim_start().starts_with("has:");
    if !text.lines().any(|line| is_promise(&line)) {
        return faults;
    }
    let found = compiled("promising.yaml", text);
    let alone = reported(&found.compilation);
    if is_valid(&found.compilation) || found.codes().contains(&"PM0403") {
        let (before, after) = text
            .split_once("\nstates:\n")
            .expect("a spec that has states");
        let spoiled = format!("{before}\nstates:{ORPHAN}{after}");
        let spoiled = compiled("spoiled.yaml", &spoiled);
        assert!(
            spoiled.codes().contains(&"PM0203"),
            "{}",
            spoiled.rendered()
        );
        for (field, state, event) in reported(&spoiled.compilation).difference(&alone) {
            let told =
                format!("only if there is another error: `{field}` in {state} after {event}");
            faults.push((Fault::KeptPromise, told));
        }
    }
    let lines: Vec<&str> = text.lines().filter(|line| !is_promise(line)).collect();
    let free = compiled("free.yaml", &lines.join("\n"));
    if alone.is_empty() || !is_valid(&free.compilation) {
        return faults;
    }
    let Some(machine) = &free.compilation.machine else {
        return faults;
    };
    let Ok(search) = Search::of(machine, &Explored::of(machine), 5000) else {
        return faults;
    };
    for (field, state, event) in alone {
        if search.closed && !search.leaves_unset(&event, &state, &field) {
            let told = format!("no run leaves `{field}` unset in {state} after {event}");
            faults.push((Fault::KeptPromise, told));
        }
    }
    faults
}
