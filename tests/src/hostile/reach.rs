//! Documents whose invariants require paths through a large state space.

use super::conditions::switching;
use super::{Around, Family, bools, lines, row};

/// The number of booleans that are toggled: the largest number for which the state space is still explored.
const SWITCHED: usize = 13;

pub(super) const FAMILIES: [(&str, Family); 5] = [
    ("reach_targets", |bytes| {
        asked(bytes, |at| format!("can always reach ({})", truths(at)))
    }),
    ("reach_targets_by", |bytes| {
        let by = row(usize::MAX, SWITCHED, " or ", |at| format!("s{at}"));
        asked(bytes, |at| {
            format!("can always reach ({}) by {by}", truths(at))
        })
    }),
    ("reach_nowhere", |bytes| {
        asked(bytes, |at| {
            format!("can always reach ({} and Z)", truths(at))
        })
    }),
    ("reach_one_truth", |bytes| {
        asked(bytes, |at| format!("can always reach b{}", at % SWITCHED))
    }),
    ("long_ways", |bytes| {
        let mut around = Around::new();
        let counts = lines(usize::MAX, 12, |at| {
            let before = row(usize::MAX, at, "", |lower| format!("b{lower} and "));
            let reset = row(usize::MAX, at, "", |lower| format!(", b{lower}: false"));
            format!("        - {{ when: {before}not b{at}, set: {{ b{at}: true{reset} }} }}\n")
        });
        around.declared = format!("{}signals: {{ step_on: {{}} }}\n", bools(12));
        around.handlers = format!("      step_on:\n{counts}");
        let last = row(usize::MAX, 12, " and ", |at| format!("b{at}"));
        around.rest = format!(
            "invariants:\n{}",
            lines(bytes, 1_000, |at| if at % 2 == 0 {
                format!("  i{at}: never ({last})\n")
            } else {
                format!("  i{at}: can always reach (not b{})\n", at % 12)
            })
        );
        around.text()
    }),
];

/// Returns a condition that only one combination of the booleans satisfies.
fn truths(number: usize) -> String {
    row(usize::MAX, SWITCHED, " and ", |at| {
        let not = if number >> at & 1 == 1 { "" } else { "not " };
        format!("{not}b{at}")
    })
}

/// Returns a machine with invariants on booleans that are toggled one by one.
fn asked(bytes: usize, invariant: impl Fn(usize) -> String) -> String {
    let mut around = switching(usize::MAX, SWITCHED);
    around.rest = format!(
        "invariants:\n{}",
        lines(bytes, 1_000, |at| format!("  i{at}: {}\n", invariant(at)))
    );
    around.text()
}
