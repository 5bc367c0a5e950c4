//! The files of a crate do not import each other in cycles, either directly or indirectly.

use std::collections::{BTreeMap, BTreeSet};

use plan_machine_tests::root;

use crate::imports::{Crate, Module};

/// The crates whose files must not form a cycle.
const CRATES: [&str; 11] = [
    "plan-machine-kernel",
    "plan-machine-calls",
    "plan-machine-compiler",
    "plan-machine-macros",
    "plan-machine",
    "plan-machine-sessions",
    "plan-machine-host",
    "plan-machine-agents",
    "plan-machine-server",
    "examples/bot",
    "plan-machine-cli",
];

type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// Returns the modules that are reachable from a module through imports; a module reaches itself only through a cycle.
fn reached(imports: &Imports, from: &Module) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Module> = imports[from].iter().collect();
    while let Some(module) = open.pop() {
        if found.insert(module.clone()) {
            open.extend(&imports[module]);
        }
    }
    found
}

/// Returns every import that is part of a cycle, as `from -> to`.
fn circles(imports: &Imports) -> Vec<String> {
    let reached: BTreeMap<&Module, BTreeSet<Module>> = imports
        .keys()
        .map(|module| (module, reached(imports, module)))
        .collect();
    let mut found = Vec::new();
    for (from, all) in imports {
        for to in all.iter().filter(|to| reached[to].contains(from)) {
            found.push(format!("{} -> {}", from.join("/"), to.join("/")));
        }
    }
    found
}

#[test]
fn no_crate_has_a_cycle_of_files() {
    let mut found = Vec::new();
    let mut seen = 0;
    for name in CRATES {
        let imports = Crate::read(&root().join(name).join("src")).imports();
        seen += imports.values().map(BTreeSet::len).sum::<usize>();
        found.extend(
            circles(&imports)
                .into_iter()
                .map(|one| format!("{name}: {one}")),
        );
    }
    assert!(
        found.is_empty(),
        "imports that are part of a cycle:\n{}",
        found.join("\n")
    );
    assert!(seen > 100, "only {seen} imports were found");
}

#[test]
fn a_cycle_is_found() {
    let module = |name: &str| vec![name.to_owned()];
    let imports = |all: &[(&str, &[&str])]| -> Imports {
        let all = all.iter();
        all.map(|(from, to)| (module(from), to.iter().map(|to| module(to)).collect()))
            .collect()
    };
    let straight = imports(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])]);
    assert_eq!(circles(&straight), Vec::<String>::new());
    let round = imports(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"])]);
    assert_eq!(circles(&round), ["b -> c", "c -> b"]);
}
