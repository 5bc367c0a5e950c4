//! Crates that are used in several versions: `deny.toml` must name each of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use plan_machine_tests::root;

fn names(text: &str, before: &str) -> Vec<String> {
    let lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix(before));
    let names = lines.filter_map(|rest| rest.split('"').next());
    names.map(str::to_owned).collect()
}

#[test]
fn exactly_the_duplicates_among_the_dependencies_are_named() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("the lock file");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in names(&lock, "name = \"") {
        *counts.entry(name).or_default() += 1;
    }
    let found: BTreeSet<String> = counts
        .into_iter()
        .filter(|(_, count)| *count > 1)
        .map(|(name, _)| name)
        .collect();
    let deny = fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    let named: BTreeSet<String> = names(&deny, "{ crate = \"").into_iter().collect();
    assert_eq!(found, named);
}
