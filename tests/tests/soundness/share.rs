//! The share of invariants of random machines that remain undecided, and the causes.

use std::collections::BTreeMap;

use plan_machine_compiler::diagnostic::{Code, Diagnostic};
use plan_machine_compiler::model::expr::{Expr, ExprKind, Helper, Is, Quantifier};
use plan_machine_compiler::model::machine::{Invariant, Property};
use plan_machine_compiler::model::types::Type;
use plan_machine_compiler::{Compilation, Verdict};
use plan_machine_tests::soak::cases;
use plan_machine_tests::{compiled, valid};

use crate::generator::{Dice, Flavour, spec};
use crate::machine_of;

/// The maximum share that may remain undecided, in hundredths of a percent.
const MOST_UNKNOWN: usize = 100;
const MOST_UNKNOWN_COUNTS: usize = 400;
/// The usual number of random specs.
const SPECS: u32 = 300;
/// At least one in this many random specs must lead to a machine; usually, one in three does.
const SPECS_A_MACHINE: u32 = 20;

/// Returns the random numbers for a seed, which are the same on every computer.
fn rolls_of(seed: u64) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u32::try_from(state >> 32).unwrap_or(0)
    };
    (0..8).for_each(|_| {
        next();
    });
    let length = 200 + next() as usize % 400;
    (0..length).map(|_| next()).collect()
}

/// The verdicts on the invariants of many machines.
#[derive(Default)]
struct Share {
    machines: usize,
    verdicts: usize,
    unknown: usize,
    /// The undecided invariants by cause.
    causes: BTreeMap<String, Vec<String>>,
}

impl Share {
    fn count(&mut self, compilation: &Compilation) {
        let (Some(machine), Some(report)) = (&compilation.machine, &compilation.report) else {
            return;
        };
        self.machines += 1;
        for (invariant, report) in machine.invariants.iter().zip(&report.invariants) {
            self.verdicts += 1;
            if report.verdict == Verdict::Unknown {
                self.unknown += 1;
                let cause = cause(compilation, invariant);
                self.causes
                    .entry(cause)
                    .or_default()
                    .push(invariant.text.clone());
            }
        }
    }
}

/// Returns why an invariant is undecided: what the decision depends on and, if the condition tests values that the prover
/// does not track completely, what it tests.
fn cause(compilation: &Compilation, invariant: &Invariant) -> String {
    let mut asked = Vec::new();
    for expr in conditions_of(&invariant.property) {
        expr.walk(&mut |inner| asked.extend(question(inner)));
    }
    asked.sort_unstable();
    asked.dedup();
    let rests_on = resting_on(compilation, invariant);
    match (&invariant.property, &asked[..]) {
        (Property::CanReach(..), _) => format!("reach: {rests_on}; tests {}", asked.join(", ")),
        (_, []) => format!("path: {rests_on}"),
        (_, asked) => format!("tests {}; depends on {rests_on}", asked.join(", ")),
    }
}

fn conditions_of(property: &Property) -> Vec<&Expr> {
    match property {
        Property::Always(expr)
        | Property::Never(expr)
        | Property::CanReach(expr, _)
        | Property::OnlyBy(expr, _)
        | Property::OnlyIn(_, expr)
        | Property::ChangesOnlyIn(_, expr)
        | Property::After(_, expr)
        | Property::EmittedOnlyIn(_, expr) => vec![expr],
        _ => Vec::new(),
    }
}

/// Returns what a part of a condition tests, if the prover does not track it or tracks it only partially.
fn question(expr: &Expr) -> Option<&'static str> {
    let is = |expr: &Expr, ty: &Type| expr.ty.required() == ty;
    match &expr.kind {
        ExprKind::Quantified(Quantifier::Count, ..) => Some("a count"),
        ExprKind::Quantified(..) => Some("a list"),
        ExprKind::Call(Helper::Len, _) => Some("a length"),
        ExprKind::Is(inner, Is::Empty, _) if is(inner, &Type::Text) => Some("an empty text"),
        ExprKind::Binary(op, left, _) if op.is_comparison() => {
            if is(left, &Type::Int) {
                Some("a number")
            } else if is(left, &Type::Text) {
                Some("the text of a string")
            } else {
                None
            }
        }
        _ => None,
    }
}

/// Returns what the decision depends on according to the diagnostic, without the names of the spec.
fn resting_on(compilation: &Compilation, invariant: &Invariant) -> String {
    let about = |found: &&Diagnostic| {
        found.code == Code::PM0605 && found.message.contains(&format!("`{}`", invariant.name))
    };
    let Some(found) = compilation.diagnostics.iter().find(about) else {
        return "too many configurations".to_owned();
    };
    let reasons = found
        .notes
        .iter()
        .find_map(|note| note.strip_prefix("not decided: "));
    let mut kinds: Vec<&str> = reasons
        .unwrap_or("nothing along the path")
        .split("; ")
        .map(|reason| match reason {
            _ if reason.ends_with("its bounds") || reason.ends_with("their bounds") => "a bound",
            _ if reason.contains(" holds") || reason.contains("not hold") => "a condition",
            other => other,
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.join(", ")
}

/// Returns the verdicts on the invariants of random machines.
fn share_of(flavour: Flavour) -> Share {
    let specs = cases(SPECS);
    let mut share = Share::default();
    for seed in 0..u64::from(specs) {
        let text = spec(&mut Dice::new(&rolls_of(seed)), flavour);
        if let Some(found) = machine_of(&text) {
            share.count(&found.compilation);
        }
    }
    let least = (specs / SPECS_A_MACHINE) as usize;
    assert!(
        share.machines >= least,
        "only {} of {specs} specs lead to a machine",
        share.machines
    );
    share
}

/// Prints the undecided invariants, and checks that there are few of them.
fn has_few_unknown(share: &Share, most: usize) {
    let mut causes: Vec<_> = share.causes.iter().collect();
    causes.sort_by_key(|(_, invariants)| std::cmp::Reverse(invariants.len()));
    println!(
        "{} of {} verdicts on {} machines are unknown",
        share.unknown, share.verdicts, share.machines
    );
    for (cause, invariants) in causes {
        println!(
            "{:6} {cause}, such as `{}`",
            invariants.len(),
            invariants[0]
        );
    }
    // Every random machine has five invariants or more, and a machine of the corpus has three on average.
    assert!(
        share.machines > 0 && share.verdicts > share.machines,
        "only {} verdicts on {} machines",
        share.verdicts,
        share.machines
    );
    assert!(
        share.unknown * 10_000 <= share.verdicts * most,
        "{} of {} verdicts are unknown",
        share.unknown,
        share.verdicts
    );
}

#[test]
fn few_invariants_of_random_machines_stay_undecided() {
    has_few_unknown(&share_of(Flavour::Open), MOST_UNKNOWN);
}

#[test]
fn few_invariants_of_machines_that_count_stay_undecided() {
    has_few_unknown(&share_of(Flavour::Counts), MOST_UNKNOWN_COUNTS);
}

#[test]
fn no_invariant_of_the_corpus_stays_undecided() {
    let mut share = Share::default();
    let all = valid();
    for spec in &all {
        share.count(&compiled(&spec.name, &spec.text).compilation);
    }
    assert_eq!(share.machines, all.len(), "a valid spec has no machine");
    has_few_unknown(&share, 0);
}
