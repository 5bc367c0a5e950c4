//! Examines many random machines in one run, and counts the wrong verdicts on their invariants.

use std::collections::BTreeMap;
use std::fmt;

use plan_machine_tests::soak::cases;

use crate::examine::{Examined, Fault, examine_within};
use crate::generator::{Dice, Flavour, Size, spec_of_size};
use crate::{MOST_REJECTED, machine_of};

/// The number of examples shown for each fault.
const SHOWN: usize = 2;
/// The number of machines between two lines that show the progress.
const BETWEEN_LINES: usize = 500;

/// A generator of pseudorandom numbers from a seed.
struct Numbers(u64);

impl Iterator for Numbers {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u32::try_from(mixed >> 32).ok()
    }
}

/// Returns the seed of the campaign, which `PLAN_MACHINE_SEED` can change.
fn seed() -> u64 {
    let asked = std::env::var("PLAN_MACHINE_SEED").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Returns the number of steps that brute force tries on each machine. Most machines need fewer steps, and many
/// machines matter more than many steps.
fn budget() -> usize {
    let asked = std::env::var("PLAN_MACHINE_BUDGET").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(2_000)
}

/// Returns the size of the machines, which `PLAN_MACHINE_SIZE=usual` can change.
fn size() -> Size {
    match std::env::var("PLAN_MACHINE_SIZE").as_deref() {
        Ok("usual") => Size::Usual,
        _ => Size::Small,
    }
}

/// Returns the flavours that are examined: all of them, or those that `PLAN_MACHINE_FLAVOUR` names.
fn flavours() -> Vec<Flavour> {
    let mut all = vec![
        Flavour::Open,
        Flavour::Decidable,
        Flavour::Numbers,
        Flavour::Tools,
        Flavour::Texts,
        Flavour::Lists,
        Flavour::Counts,
        Flavour::Many,
        Flavour::Timers,
        Flavour::Budgets,
    ];
    if let Ok(asked) = std::env::var("PLAN_MACHINE_FLAVOUR") {
        let asked: Vec<&str> = asked.split(',').collect();
        all.retain(|flavour| asked.contains(&format!("{flavour:?}").as_str()));
    }
    assert!(!all.is_empty(), "there is no such flavour");
    all
}

/// What a campaign has found so far.
#[derive(Default)]
struct Total {
    /// The specs that were generated, including those that violate a rule.
    specs: usize,
    /// The machines of which at least one verdict was compared with runs.
    machines: usize,
    complete: usize,
    judged: usize,
    proved: usize,
    unknown: usize,
    wrong: BTreeMap<Fault, usize>,
}

impl Total {
    fn count(&mut self, examined: &Examined) {
        self.specs += 1;
        self.machines += usize::from(examined.judged > 0);
        self.complete += usize::from(examined.judged > 0 && examined.is_complete);
        self.judged += examined.judged;
        self.proved += examined.proved;
        self.unknown += examined.unknown;
        for (fault, _) in &examined.faults {
            *self.wrong.entry(*fault).or_default() += 1;
        }
    }
}

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let broken = self.judged - self.proved - self.unknown;
        write!(
            f,
            "{} machines of {} specs, {} of them run completely; {} verdicts: {} proved, {broken} broken, {} unknown; ",
            self.machines, self.specs, self.complete, self.judged, self.proved, self.unknown
        )?;
        if self.wrong.is_empty() {
            return write!(f, "none of them is wrong");
        }
        write!(f, "WRONG: {:?}", self.wrong)
    }
}

#[test]
#[ignore = "takes minutes: run it with --release, --nocapture and PLAN_MACHINE_CASES=5000"]
fn no_verdict_about_many_random_machines_is_wrong() {
    let mut total = Total::default();
    let mut each: BTreeMap<String, Total> = BTreeMap::new();
    let (flavours, wanted) = (flavours(), cases(500) as usize);
    let most = wanted.saturating_mul(MOST_REJECTED as usize);
    let mut case: u64 = 0;
    while total.machines < wanted {
        assert!(total.specs < most, "hardly any spec has a machine: {total}");
        let flavour = flavours[usize::try_from(case).unwrap_or(0) % flavours.len()];
        let start = seed().wrapping_mul(1_000_003).wrapping_add(case) << 20;
        let rolls: Vec<u32> = Numbers(start).take(500).collect();
        let text = spec_of_size(&mut Dice::new(&rolls), flavour, size());
        let examined = machine_of(&text).map_or_else(Examined::default, |found| {
            examine_within(&found.compilation, flavour, case, budget())
        });
        total.count(&examined);
        each.entry(format!("{flavour:?}"))
            .or_default()
            .count(&examined);
        for (fault, problem) in &examined.faults {
            if total.wrong[fault] <= SHOWN {
                println!("{fault:?} in case {case}, {flavour:?}\n{problem}\n\n{text}\n");
            }
        }
        if examined.judged > 0 && total.machines.is_multiple_of(BETWEEN_LINES) {
            println!("seed {}, so far: {total}", seed());
        }
        case += 1;
    }
    for (flavour, total) in each {
        println!("{flavour}: {total}");
    }
    println!("seed {}, total: {total}", seed());
    assert!(total.wrong.is_empty(), "{total}");
}
