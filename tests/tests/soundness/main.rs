//! Compares the prover with runs of the interpreter: random machines are checked by brute force.
//!
//! No run may break an invariant that is reported as proved, an invariant that is reported as broken must break when
//! its trace is run, and no run may leave the explored space. `PLAN_MACHINE_CASES` sets the number of machines that are
//! examined.

mod brute;
mod calls;
mod campaign;
mod choices;
mod claims;
mod counts;
mod examine;
mod findings;
mod generator;
mod host_tools;
mod long_runs;
mod many;
mod meaning;
mod numbers;
mod promises;
mod refused;
mod remembered;
mod repair;
mod replay;
mod sent_lists;
mod settled;
mod share;
mod timers;
mod waits;

use std::cell::Cell;

use examine::{Examined, examine};
use generator::{Dice, Flavour, spec};
use plan_machine_compiler::Compilation;
use plan_machine_compiler::diagnostic::{Code, Severity};
use plan_machine_tests::soak::cases;
use plan_machine_tests::{Compiled, compiled};
use promises::examine_promises;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use refused::examine_refused;
use repair::repaired;

/// The usual number of machines of each flavour.
const CASES: u32 = 60;
/// The maximum number of specs that are rejected for each machine that is examined; usually, there are a few.
const MOST_REJECTED: u32 = 1_000;
/// A test must examine at least one proved and one broken invariant per this many machines, on average; usually, each
/// machine has several of both.
const MACHINES_A_VERDICT: u32 = 6;

/// Random numbers for a generator. A failing test shows the resulting spec instead of the numbers.
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

/// Returns whether a spec obeys the rules, regardless of the verdicts on its invariants.
fn is_valid(compilation: &Compilation) -> bool {
    let mut found = compilation.diagnostics.iter();
    let about_invariants = |code: Code| code.as_str().starts_with("PM06");
    compilation.machine.is_some()
        && found.all(|found| found.severity != Severity::Error || about_invariants(found.code))
}

/// Returns a machine that obeys the rules, after some repairs of the spec if they are needed.
fn machine_of(text: &str) -> Option<Compiled> {
    repaired(text, compiled("random.yaml", text))
}

/// Returns the spec generated from some random numbers, and the findings. A spec that violates a rule is examined as far
/// as possible, and then repaired.
fn examined(rolls: &[u32], flavour: Flavour) -> (String, Examined) {
    let text = spec(&mut Dice::new(rolls), flavour);
    let seed = rolls
        .iter()
        .fold(0, |seed, roll| seed ^ (u64::from(*roll) << 7));
    let found = compiled("random.yaml", &text);
    let mut faults = if is_valid(&found.compilation) {
        Vec::new()
    } else {
        examine_refused(&found)
    };
    let mut examined = repaired(&text, found).map_or_else(Examined::default, |found| {
        examine(&found.compilation, flavour, seed)
    });
    examined.faults.append(&mut faults);
    if flavour == Flavour::Decidable {
        examined.faults.extend(examine_promises(&text));
    }
    (text, examined)
}

/// Returns the findings for the machine generated from some random numbers. A spec that leads to no machine is rejected.
fn hold(rolls: &[u32], flavour: Flavour) -> Result<Examined, TestCaseError> {
    let (text, examined) = examined(rolls, flavour);
    match examined.faults.first() {
        Some((fault, problem)) => {
            let told = format!("{fault:?}: {problem}\n\n{text}");
            Err(TestCaseError::fail(told))
        }
        None if examined.judged == 0 => Err(TestCaseError::reject("a rule is broken")),
        None => Ok(examined),
    }
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        max_global_rejects: cases.saturating_mul(MOST_REJECTED),
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

/// The verdicts that were compared with runs, on all machines of a test.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    proved: usize,
    broken: usize,
    unknown: usize,
}

impl Tally {
    fn with(self, examined: &Examined) -> Self {
        Self {
            proved: self.proved + examined.proved,
            broken: self.broken + examined.judged - examined.proved - examined.unknown,
            unknown: self.unknown + examined.unknown,
        }
    }
}

/// Compares the verdicts on random machines of a flavour with runs of the machines. Fails if hardly any invariant is
/// proved, or hardly any is broken: then the comparison shows nothing.
fn verdicts_hold(flavour: Flavour) {
    let cases = cases(CASES);
    let tally = Cell::new(Tally::default());
    let mut runner = TestRunner::new(config(cases));
    let tried = runner.run(&rolls(), |rolls| {
        let examined = hold(&rolls.0, flavour)?;
        tally.set(tally.get().with(&examined));
        Ok(())
    });
    if let Err(error) = tried {
        panic!("{error}\n{runner}");
    }
    let tally = tally.get();
    println!("{flavour:?}: {tally:?}");
    let least = (cases / MACHINES_A_VERDICT) as usize;
    assert!(
        tally.proved >= least && tally.broken >= least,
        "{flavour:?}: {tally:?}"
    );
}

#[test]
fn verdicts_agree_with_every_run_of_a_random_machine() {
    verdicts_hold(Flavour::Open);
}

#[test]
fn verdicts_agree_with_every_run_of_a_machine_whose_numbers_grow() {
    verdicts_hold(Flavour::Numbers);
}

#[test]
fn verdicts_agree_with_every_run_of_a_machine_that_distinguishes_tools_by_name() {
    verdicts_hold(Flavour::Tools);
}

#[test]
fn verdicts_agree_with_every_run_of_a_machine_that_compares_texts() {
    verdicts_hold(Flavour::Texts);
}

#[test]
fn verdicts_agree_with_every_run_of_a_machine_with_conditions_on_lists() {
    verdicts_hold(Flavour::Lists);
}

#[test]
fn verdicts_agree_with_every_run_of_a_machine_that_counts() {
    verdicts_hold(Flavour::Counts);
}

#[test]
fn verdicts_agree_with_every_run_of_a_machine_of_many_plans() {
    verdicts_hold(Flavour::Many);
}

#[test]
fn verdicts_agree_with_every_run_of_a_machine_with_timers() {
    verdicts_hold(Flavour::Timers);
}

#[test]
fn verdicts_agree_with_every_run_of_a_machine_that_counts_and_has_timers() {
    verdicts_hold(Flavour::Budgets);
}

#[test]
fn a_machine_whose_conditions_are_decidable_leaves_nothing_unknown() {
    verdicts_hold(Flavour::Decidable);
}
