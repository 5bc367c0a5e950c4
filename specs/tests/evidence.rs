//! Everything that the pages name as evidence exists: files, tests, programs that must not compile, and metrics.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

const SEEDS: &str = "docs/seeds.md";
const SECURITY: &str = "docs/security.md";
const SERVER_SECURITY: &str = "docs/server_security.md";

/// The pages that name tests as evidence, and how many of their names are looked up at least.
const PAGES: [(&str, usize); 13] = [
    (SEEDS, 100),
    (SECURITY, 40),
    (SERVER_SECURITY, 25),
    ("docs/agents.md", 6),
    ("docs/agents_guarantees.md", 2),
    ("docs/benchmarks.md", 2),
    ("docs/calls.md", 12),
    ("docs/generated.md", 2),
    ("docs/mcp.md", 11),
    ("docs/plan_modes.md", 40),
    ("docs/server.md", 5),
    ("docs/sessions.md", 8),
    ("CONTRIBUTING.md", 1),
];

/// The tests that pages name although an ordinary run leaves them out: each takes a minute, so only `scripts/soak` runs
/// them.
const SOAKED: [&str; 2] = [
    "a_thousand_clients_get_two_hundred_events_a_second_and_lose_none",
    "the_inbox_of_a_hundred_thousand_sessions_is_one_lookup",
];

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).expect("the page")
}

fn page() -> String {
    read(SEEDS)
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

/// Returns the names of the tests in a source file, whichever attribute makes them tests. A test that is ignored shows
/// nothing, unless it is one of [`SOAKED`].
fn tests_of(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let (mut is_test, mut is_ignored) = (false, false);
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        } else if line.starts_with("#[ignore") {
            is_ignored = true;
        } else if let Some(rest) = line.split("fn ").nth(1) {
            let name = rest.split('(').next().unwrap_or_default();
            if is_test && (!is_ignored || SOAKED.contains(&name)) {
                found.insert(name.to_owned());
            }
            (is_test, is_ignored) = (false, false);
        }
    }
    found
}

#[test]
fn an_ignored_test_is_no_evidence() {
    let lines = [
        "#[test]",
        "fn runs() {}",
        "#[test]",
        "#[ignore = \"takes hours\"]",
        "fn does_not_run() {}",
        "#[ignore]",
        "#[tokio::test(flavor = \"multi_thread\")]",
        "async fn does_not_run_either() {}",
        "fn is_no_test() {}",
        "#[tokio::test]",
        "async fn runs_as_well() {}",
    ];
    let found = tests_of(&lines.join("\n"));
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(found, ["runs", "runs_as_well"]);
}

#[test]
fn the_ignored_tests_that_pages_name_are_run_by_the_soak() {
    let soak = read("scripts/soak");
    assert!(soak.contains("--include-ignored"));
    for name in SOAKED {
        assert!(soak.contains(&format!("::{name}\n")), "{name}");
    }
}

/// Returns the names of all tests, of all programs that must not compile, and of all invariants of the shipped specs.
fn known() -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for file in files(
        &[
            "tests",
            "examples",
            "benches",
            "plan-machine-calls",
            "plan-machine-compiler",
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
    // The tests of the page, which pages name without `test_`.
    for file in files(&["tests/page"], "py") {
        let tests = fs::read_to_string(&file).expect("a source");
        let names = tests.lines().filter_map(|line| {
            let (name, _) = line.strip_prefix("def test_")?.split_once('(')?;
            Some(name.to_owned())
        });
        known.extend(names);
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
    for (name, least) in PAGES {
        let page = read(name);
        let named: Vec<&str> = code(&page)
            .into_iter()
            .filter(|code| is_sentence(code))
            .collect();
        assert!(
            named.len() >= least,
            "{name} names tests and invariants, but only {} were found",
            named.len()
        );
        let missing: Vec<&&str> = named
            .iter()
            .filter(|name| !known.contains(**name))
            .collect();
        assert!(missing.is_empty(), "{name}: there are no {missing:#?}");
    }
}

#[test]
fn every_page_that_names_a_test_is_checked() {
    let known = known();
    let pages = files(&["docs"], "md");
    let pages = pages
        .iter()
        .filter_map(|path| path.strip_prefix(root().join("docs")).ok()?.to_str());
    // The decisions and the pages of the rules describe the past and the language, and the guide names the invariants of
    // its own examples.
    let is_meant = |page: &&str| !page.contains('/') && *page != "guide.md";
    let mut pages: Vec<&str> = pages.filter(is_meant).collect();
    pages.sort_unstable();
    assert!(pages.len() > 15, "{pages:?}");
    for page in pages {
        let name = format!("docs/{page}");
        let text = read(&name);
        let mut named = code(&text).into_iter().filter(|code| is_sentence(code));
        let first = named.find(|code| known.contains(*code));
        let is_checked = PAGES.iter().any(|(page, _)| *page == name);
        assert!(is_checked || first.is_none(), "{name} names {first:?}");
    }
}

/// A threat without a test would be a mere claim.
#[test]
fn every_threat_has_a_test() {
    for (name, first) in [(SECURITY, "| threat |"), (SERVER_SECURITY, "| attacker |")] {
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
