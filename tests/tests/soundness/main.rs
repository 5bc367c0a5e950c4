//! The prover against runs of the interpreter: random machines, judged by brute force.
//!
//! What is said to be proved no run may break, what is said to be broken must break when its trace
//! is run, and no run may leave what was explored. `PLAN_MACHINE_CASES` sets how many machines are
//! looked at.

mod brute;
mod choices;
mod findings;
mod generator;
mod meaning;
mod remembered;
mod replay;
mod share;

use brute::{Search, walk};
use generator::{Dice, Flavour, spec};
use meaning::Step;
use plan_machine_compiler::diagnostic::{Code, Severity};
use plan_machine_compiler::model::machine::Property;
use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_compiler::prove::inspect::Explored;
use plan_machine_compiler::{Compilation, InvariantReport, Verdict};
use plan_machine_kernel::json::Json;
use plan_machine_tests::{Compiled, compiled};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use replay::replay;

fn cases(default: u32) -> u32 {
    let asked = std::env::var("PLAN_MACHINE_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Rolls of dice: a failure shows the spec that they make instead.
#[derive(Clone)]
struct Rolls(Vec<u32>);

impl std::fmt::Debug for Rolls {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} rolls", self.0.len())
    }
}

fn rolls() -> impl Strategy<Value = Rolls> {
    prop::collection::vec(any::<u32>(), 200..600).prop_map(Rolls)
}

/// Whether a spec keeps the rules, whatever becomes of its invariants.
fn is_valid(compilation: &Compilation) -> bool {
    let mut found = compilation.diagnostics.iter();
    let about_invariants = |code: Code| code.as_str().starts_with("PM06");
    compilation.machine.is_some()
        && found.all(|found| found.severity != Severity::Error || about_invariants(found.code))
}

/// A machine that keeps the rules: where `has` promises too much, it is left out.
fn machine_of(rolls: &[u32], flavour: Flavour) -> Option<(String, Compiled)> {
    let text = spec(&mut Dice::new(rolls), flavour);
    let found = compiled("random.yaml", &text);
    if is_valid(&found.compilation) {
        return Some((text, found));
    }
    if !found.codes().contains(&"PM0403") {
        return None;
    }
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("has:"));
    let text: Vec<&str> = lines.collect();
    let text = text.join("\n");
    let found = compiled("random.yaml", &text);
    is_valid(&found.compilation).then_some((text, found))
}

/// The trace of a broken invariant.
fn trace_of<'a>(compilation: &'a Compilation, name: &str) -> Option<&'a [Json]> {
    let message = format!("the invariant `{name}` is broken");
    let mut found = compilation.diagnostics.iter();
    let found = found.find(|found| found.message == message)?;
    Some(&found.trace)
}

/// Whether no shorter run is said to break it.
fn is_called_shortest(compilation: &Compilation, name: &str) -> bool {
    let message = format!("the invariant `{name}` is broken");
    let mut found = compilation.diagnostics.iter();
    found.any(|found| {
        let mut notes = found.notes.iter();
        found.message == message && notes.any(|note| note.starts_with("the shortest way"))
    })
}

/// Holds every verdict of a machine against runs of it.
fn examine(compilation: &Compilation, flavour: Flavour, seed: u64) -> Result<(), String> {
    let machine = compilation.machine.as_ref().ok_or("no machine")?;
    let report = compilation.report.as_ref().ok_or("no report")?;
    let explored = Explored::of(machine);
    let budget = if flavour == Flavour::Open { 2500 } else { 5000 };
    let search = Search::of(machine, &explored, budget)?;
    for (at, (invariant, report)) in machine
        .invariants
        .iter()
        .zip(&report.invariants)
        .enumerate()
    {
        let told = |problem: &str| format!("`{}`: {problem}", invariant.text);
        let property = &invariant.property;
        match report.verdict {
            Verdict::Proved => judge_proved(&search, at, property),
            Verdict::Broken => judge_broken(compilation, machine, &search, at, report, flavour),
            Verdict::Unknown => judge_unknown(machine, property, flavour),
        }
        .map_err(|problem| told(&problem))?;
    }
    let is_proved = |report: &InvariantReport| report.verdict == Verdict::Proved;
    let proved: Vec<bool> = report.invariants.iter().map(is_proved).collect();
    walk(machine, &explored, &proved, seed | 1, 6)
}

fn judge_proved(search: &Search<'_>, at: usize, property: &Property) -> Result<(), String> {
    if let Some(run) = &search.broken[at] {
        return Err(format!("proved, but this run breaks it:\n{}", run.told));
    }
    if let (Property::CanReach(..), true) = (property, search.closed)
        && let Some(run) = search.stuck(property, false)
    {
        return Err(format!(
            "proved, but nothing leads there after:\n{}",
            run.told
        ));
    }
    Ok(())
}

fn judge_broken(
    compilation: &Compilation,
    machine: &Checked<Machine>,
    search: &Search<'_>,
    at: usize,
    report: &InvariantReport,
    flavour: Flavour,
) -> Result<(), String> {
    // One that its own words decide is reported without a trace.
    let Some(trace) = trace_of(compilation, &report.name) else {
        return Ok(());
    };
    let property = &machine.invariants[at].property;
    let replayed = replay(machine, trace)?;
    let told: Vec<String> = trace.iter().map(Json::to_string).collect();
    let told = told.join("\n");
    let shortest = is_called_shortest(compilation, &report.name);
    if let Property::CanReach(..) = property {
        if replayed.after.slot.is_none() {
            return Err(format!("broken where there is no plan:\n{told}"));
        }
        if search.closed && search.reaches_from(&replayed.after, property) == Some(true) {
            return Err(format!("broken, but something leads there after:\n{told}"));
        }
        // Whether a list is long enough, or a number small enough, is left open: only where nothing
        // is does a reachability break as soon as it can.
        let nearest = (search.closed && flavour == Flavour::Decidable)
            .then(|| search.stuck(property, true))
            .flatten();
        return match nearest {
            Some(run) if shortest && run.steps < trace.len() => {
                Err(format!("broken by\n{told}\nbut sooner by\n{}", run.told))
            }
            _ => Ok(()),
        };
    }
    let breaks = match &replayed.last {
        None => meaning::is_broken_at_the_start(machine, property),
        Some(accepted) => Step {
            machine,
            before: &replayed.before,
            accepted,
            after: &replayed.after,
        }
        .breaks(property),
    };
    if !breaks {
        return Err(format!("broken, but this run does not break it:\n{told}"));
    }
    match &search.broken[at] {
        Some(run) if shortest && run.steps < trace.len() => {
            Err(format!("broken by\n{told}\nbut sooner by\n{}", run.told))
        }
        _ => Ok(()),
    }
}

fn judge_unknown(machine: &Machine, property: &Property, flavour: Flavour) -> Result<(), String> {
    // Nobody chooses the context: a reachability may rest on it.
    let rests_on_context =
        matches!(property, Property::CanReach(..)) && !machine.context.is_empty();
    if flavour == Flavour::Decidable && !rests_on_context {
        return Err("unknown, and yet everything can be decided".to_owned());
    }
    Ok(())
}

fn hold(rolls: &[u32], flavour: Flavour) -> Result<(), TestCaseError> {
    let Some((text, found)) = machine_of(rolls, flavour) else {
        return Err(TestCaseError::reject("a rule is broken"));
    };
    let seed = rolls
        .iter()
        .fold(0, |seed, roll| seed ^ (u64::from(*roll) << 7));
    examine(&found.compilation, flavour, seed).map_err(|problem| {
        let rendered: Vec<&str> = found.codes();
        TestCaseError::fail(format!("{problem}\n\n{text}\n{rendered:?}"))
    })
}

fn config(default: u32) -> ProptestConfig {
    ProptestConfig {
        max_global_rejects: u32::MAX,
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases(default))
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn verdicts_agree_with_every_run_of_a_random_machine(rolls in rolls()) {
        hold(&rolls.0, Flavour::Open)?;
    }

    #[test]
    fn a_machine_whose_conditions_are_decidable_leaves_nothing_unknown(rolls in rolls()) {
        hold(&rolls.0, Flavour::Decidable)?;
    }
}
