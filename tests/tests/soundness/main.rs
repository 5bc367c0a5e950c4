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

use examine::{Examined, examine};
use generator::{Dice, Flavour, spec};
use plan_machine_compiler::Compilation;
use plan_machine_compiler::diagnostic::{Code, Severity};
use plan_machine_tests::{Compiled, compiled};
use promises::examine_promises;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use refused::examine_refused;
use repair::repaired;

fn cases(default: u32) -> u32 {
    let asked = std::env::var("PLAN_MACHINE_CASES").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(default)
}

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

fn hold(rolls: &[u32], flavour: Flavour) -> Result<(), TestCaseError> {
    let (text, examined) = examined(rolls, flavour);
    match examined.faults.first() {
        Some((fault, problem)) => {
            let told = format!("{fault:?}: {problem}\n\n{text}");
            Err(TestCaseError::fail(told))
        }
        None if examined.judged == 0 => Err(TestCaseError::reject("a rule is broken")),
        None => Ok(()),
    }
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
    fn verdicts_agree_with_every_run_of_a_machine_whose_numbers_grow(rolls in rolls()) {
        hold(&rolls.0, Flavour::Numbers)?;
    }

    #[test]
    fn verdicts_agree_with_every_run_of_a_machine_that_distinguishes_tools_by_name(rolls in rolls()) {
        hold(&rolls.0, Flavour::Tools)?;
    }

    #[test]
    fn verdicts_agree_with_every_run_of_a_machine_that_compares_texts(rolls in rolls()) {
        hold(&rolls.0, Flavour::Texts)?;
    }

    #[test]
    fn verdicts_agree_with_every_run_of_a_machine_with_conditions_on_lists(rolls in rolls()) {
        hold(&rolls.0, Flavour::Lists)?;
    }

    #[test]
    fn verdicts_agree_with_every_run_of_a_machine_that_counts(rolls in rolls()) {
        hold(&rolls.0, Flavour::Counts)?;
    }

    #[test]
    fn verdicts_agree_with_every_run_of_a_machine_of_many_plans(rolls in rolls()) {
        hold(&rolls.0, Flavour::Many)?;
    }

    #[test]
    fn verdicts_agree_with_every_run_of_a_machine_with_timers(rolls in rolls()) {
        hold(&rolls.0, Flavour::Timers)?;
    }

    #[test]
    fn verdicts_agree_with_every_run_of_a_machine_that_counts_and_has_timers(rolls in rolls()) {
        hold(&rolls.0, Flavour::Budgets)?;
    }

    #[test]
    fn a_machine_whose_conditions_are_decidable_leaves_nothing_unknown(rolls in rolls()) {
        hold(&rolls.0, Flavour::Decidable)?;
    }
}
