//! Examines many random machines in one run, and counts the wrong verdicts on their invariants.

use std::collections::BTreeMap;

use crate::examine::Fault;
use crate::generator::Flavour;
use crate::{cases, examined};

/// The number of examples shown for each fault.
const SHOWN: usize = 2;

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

/// Returns the flavours that are examined: all of them, or the one that `PLAN_MACHINE_FLAVOUR` names.
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
    ];
    if let Ok(asked) = std::env::var("PLAN_MACHINE_FLAVOUR") {
        all.retain(|flavour| format!("{flavour:?}") == asked);
    }
    assert!(!all.is_empty(), "there is no such flavour");
    all
}

#[test]
#[ignore = "takes minutes: run it with PLAN_MACHINE_CASES=5000 and --nocapture"]
fn no_verdict_about_many_random_machines_is_wrong() {
    let mut wrong: BTreeMap<Fault, usize> = BTreeMap::new();
    let (mut machines, mut judged, mut unknown) = (0, 0, 0);
    let mut unknown_of: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let flavours = flavours();
    for case in 0..u64::from(cases(500)) {
        let flavour = flavours[usize::try_from(case).unwrap_or(0) % flavours.len()];
        let start = seed().wrapping_mul(1_000_003).wrapping_add(case) << 20;
        let rolls: Vec<u32> = Numbers(start).take(500).collect();
        let (text, examined) = examined(&rolls, flavour);
        machines += usize::from(examined.judged > 0);
        judged += examined.judged;
        unknown += examined.unknown;
        let of_flavour = unknown_of.entry(format!("{flavour:?}")).or_default();
        of_flavour.0 += examined.unknown;
        of_flavour.1 += examined.judged;
        for (fault, problem) in examined.faults {
            let count = wrong.entry(fault).or_default();
            *count += 1;
            if *count <= SHOWN {
                println!("{fault:?} in case {case}, {flavour:?}\n{problem}\n\n{text}\n");
            }
        }
    }
    for (flavour, (unknown, judged)) in unknown_of {
        println!("{flavour}: {unknown} of {judged} unknown");
    }
    println!("{machines} machines, {judged} invariants, {unknown} unknown, wrong: {wrong:?}");
    assert!(wrong.is_empty(), "{wrong:?}");
}
