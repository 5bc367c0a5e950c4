//! Everything named on the pages about the documents and about security exists: files, tests, programs that must not
//! compile, and metrics.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The pages that name tests as evidence.
const PAGES: [&str; 3] = [
    "docs/seeds.md",
    "docs/security.md",
    "docs/server_security.md",
];

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).expect("the page")
}

fn page() -> String {
    read(PAGES[0])
}

/// Returns the texts in backticks on a page.
fn code(page: &str) -> BTreeSet<&str> {
    let lines = page.lines();
    lines
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .collect()
}

/// Returns the files with an extension in some folders of the repository and their subfolders.
fn files(folders: &[&str], ending: &str) -> Vec<PathBuf> {
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                found.push(path);
            }
        }
    }
    found
}

/// Returns the names of the tests in a source file, whichever attribute makes them tests.
fn tests_of(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if let Some(rest) = line.split("fn ").nth(1).filter(|_| is_test) {
            found.extend(rest.split('(').next().map(str::to_owned));
            is_test = false;
        }
    }
    found
}

/// Returns the names of all tests, of all programs that must not compile, and of all invariants of the shipped specs.
fn known() -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for file in files(
        &[
            "tests",
            "examples",
            "plan-machine-calls/tests",
            "specs/tests",
            "plan-machine",
            "plan-machine-agents",
            "plan-machine-cli",
            "plan-machine-host",
            "plan-machine-sessions",
            "plan-machine-kernel",
            "plan-machine-server",
        ],
        "rs",
    ) {
        known.extend(tests_of(&fs::read_to_string(&file).expect("a source")));
    }
    for file in files(&["tests/compile_fail/tests/compile_fail"], "rs") {
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        known.extend(stem.map(str::to_owned));
    }
    for file in files(&["specs"], "yaml") {
        let spec = fs::read_to_string(&file).expect("a spec");
        let invariants = spec.split("\ninvariants:").nth(1).unwrap_or_default();
        let names = invariants.lines().filter_map(|line| {
            let (name, _) = line.strip_prefix("  ")?.split_once(':')?;
            Some(name.to_owned())
        });
        known.extend(names);
    }
    known
}

/// Returns whether a piece of code reads like a sentence, as the names of tests and invariants do.
fn is_sentence(code: &str) -> bool {
    let is_name = code
        .chars()
        .all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit());
    is_name && code.matches('_').count() >= 3
}

#[test]
fn every_test_and_invariant_that_a_page_names_exists() {
    let known = known();
    for (name, least) in PAGES.into_iter().zip([100, 40, 25]) {
        let page = read(name);
        let named: Vec<&str> = code(&page)
            .into_iter()
            .filter(|code| is_sentence(code))
            .collect();
        assert!(named.len() > least, "{name} names tests and invariants");
        let missing: Vec<&&str> = named
            .iter()
            .filter(|name| !known.contains(**name))
            .collect();
        assert!(missing.is_empty(), "{name}: there are no {missing:#?}");
    }
}

/// A threat without a test would be a mere claim.
#[test]
fn every_threat_has_a_test() {
    for (name, first) in [(PAGES[1], "| threat |"), (PAGES[2], "| attacker |")] {
        let page = read(name);
        let rows = page.lines().filter(|line| line.starts_with("| "));
        let (heads, rows): (Vec<&str>, Vec<&str>) = rows.partition(|row| row.starts_with(first));
        assert!(!heads.is_empty() && !rows.is_empty(), "{name}");
        for row in rows {
            let shown = row.trim_end_matches([' ', '|']).rsplit('|').next();
            let tests = code(shown.unwrap_or_default());
            assert!(tests.into_iter().any(is_sentence), "{name}: {row}");
        }
    }
}

#[test]
fn every_file_that_the_page_names_exists() {
    let page = page();
    let is_path = |code: &&str| {
        let places = ["specs/", "tests/", "examples/", "docs/", "plan-machine"];
        places.iter().any(|place| code.starts_with(place)) && !code.contains([' ', ':'])
    };
    let links = page
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let links = links.filter(|link| !link.starts_with('#'));
    let links = links.map(|link| Path::new("docs").join(link));
    let named = code(&page).into_iter().filter(is_path).map(PathBuf::from);
    let missing: Vec<PathBuf> = named
        .chain(links)
        .filter(|path| !root().join(path).exists())
        .collect();
    assert!(missing.is_empty(), "there are no {missing:#?}");
}

#[test]
fn every_metric_that_the_page_names_is_one_of_the_runtime() {
    let page = page();
    let is_metric = |code: &&str| {
        let is_name = code
            .chars()
            .all(|c| c.is_ascii_lowercase() || ".:_".contains(c));
        is_name && code.matches('.').count() >= 2
    };
    let named: Vec<&str> = code(&page).into_iter().filter(is_metric).collect();
    assert!(named.len() >= 8, "the page names metrics: {named:?}");
    let crates = ["plan-machine-sessions", "plan-machine-host"];
    let observed = crates.map(|name| {
        let source = root().join(name).join("src/observe.rs");
        fs::read_to_string(source).expect("the metrics of the crate")
    });
    let observed = observed.join("\n");
    let missing: Vec<&&str> = named
        .iter()
        .filter(|metric| !observed.contains(&format!("\"{metric}\"")))
        .collect();
    assert!(missing.is_empty(), "there are no {missing:#?}");
}

/// A part of the product that rows refer to has a table with the tests that demonstrate it.
#[test]
fn every_part_of_the_product_that_rows_refer_to_has_its_tests() {
    let page = page();
    for part in ["the example bot", "the session store", "the gate"] {
        assert!(page.contains(part), "no row refers to {part}");
        let heading = format!("\n## What {part} shows\n");
        let section = page.split(&heading).nth(1).unwrap_or_default();
        let section = section.split("\n## ").next().unwrap_or_default();
        let tests = code(section).into_iter().filter(|code| is_sentence(code));
        assert!(tests.count() >= 3, "{part} has no table of tests");
    }
}
