//! The table in `docs/architecture.md`: each module imports only the modules that its row allows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use plan_machine_tests::root;

use crate::imports::{Crate, Module};

/// A row of the table: a module of a crate, and the modules of that crate that it may import.
struct Row {
    of: String,
    module: String,
    /// The modules that it may import; `None` if it may import any module.
    allowed: Option<BTreeSet<String>>,
}

fn quoted(cell: &str) -> impl Iterator<Item = String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned)
}

fn rows() -> Vec<Row> {
    let text = fs::read_to_string(root().join("docs/architecture.md")).expect("the page");
    let layers = text.split("\n## Layers\n").nth(1).expect("the section");
    let section = layers.split("\n## ").next().unwrap_or_default();
    let lines = section.lines().filter(|line| line.starts_with("| `"));
    let rows = lines.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [of, module, _, allowed] = cells[..] else {
            panic!("expected four cells: {line}");
        };
        let named = |cell| quoted(cell).next().expect("a name in backticks");
        Row {
            of: named(of),
            module: named(module),
            allowed: (allowed != "everything").then(|| quoted(allowed).collect()),
        }
    });
    rows.collect()
}

#[test]
fn modules_import_only_what_their_row_allows() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    let mut crates: BTreeMap<String, BTreeMap<Module, BTreeSet<Module>>> = BTreeMap::new();
    for row in rows() {
        let sources = root().join(&row.of).join("src");
        let read = crates
            .entry(row.of.clone())
            .or_insert_with(|| Crate::read(&sources).imports());
        let Some(allowed) = &row.allowed else {
            continue;
        };
        for (module, imported) in &*read {
            if module.first() != Some(&row.module) {
                continue;
            }
            seen += imported.len();
            let outside = imported
                .iter()
                .filter_map(|other| other.first())
                .filter(|other| **other != row.module && !allowed.contains(*other));
            wrong.extend(
                outside.map(|other| format!("{}: {} imports `{other}`", row.of, module.join("/"))),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 100, "only {seen} imports were found");
}

#[test]
fn every_module_of_these_crates_has_its_row() {
    let rows = rows();
    let crates: BTreeSet<&String> = rows.iter().map(|row| &row.of).collect();
    assert_eq!(
        crates.len(),
        11,
        "all crates with modules, except the tests, the benchmarks and the small examples"
    );
    for of in crates {
        let sources = root().join(of).join("src");
        for entry in fs::read_dir(&sources).expect("the sources") {
            let path = entry.expect("an entry").path();
            if !path.is_dir() && path.extension().is_none_or(|ending| ending != "rs") {
                continue;
            }
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let listed = rows.iter().any(|row| row.of == *of && row.module == name);
            assert!(
                listed || ["lib", "main", "bin"].contains(&name.as_str()),
                "`{name}` of {of} has no row"
            );
        }
    }
    for row in &rows {
        let place = root().join(&row.of).join("src").join(&row.module);
        let there = place.is_dir() || place.with_extension("rs").is_file();
        assert!(there, "{} has no module `{}`", row.of, row.module);
    }
}
