//! The page that maps the documents' rules to the specs names all invariants and scenarios, and only existing ones.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_compiler::{compile, source::SourceMap};

fn machine(name: &str) -> Checked<Machine> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{name}.yaml"));
    let mut sources = SourceMap::default();
    let file = sources.add(name, fs::read_to_string(path).expect("a spec of the crate"));
    compile(&sources, file).machine.expect("a valid spec")
}

/// Returns the section about a document, given its number.
fn section(number: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/seeds.md");
    let page = fs::read_to_string(page).expect("the page");
    let heading = format!("\n## {number}: ");
    let start = page.find(&heading).expect("a section for each document");
    let rest = &page[start + heading.len()..];
    rest[..rest.find("\n## ").unwrap_or(rest.len())].to_owned()
}

/// Returns the texts between pairs of a delimiter.
fn between(text: &str, sign: char) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        found.extend(line.split(sign).skip(1).step_by(2).map(str::to_owned));
    }
    found
}

fn is_mapped(number: &str, spec: &str) {
    let (section, machine) = (section(number), machine(spec));
    let (code, italics) = (between(&section, '`'), between(&section, '*'));
    let scenarios = machine
        .scenarios
        .iter()
        .map(|scenario| scenario.name.clone());
    let scenarios: BTreeSet<String> = scenarios.collect();
    let invariants = machine
        .invariants
        .iter()
        .map(|invariant| invariant.name.clone());
    let unnamed: Vec<String> = invariants.filter(|name| !code.contains(name)).collect();
    assert!(
        unnamed.is_empty(),
        "{spec}: the page does not name {unnamed:?}"
    );
    let unnamed: Vec<&String> = scenarios.difference(&italics).collect();
    assert!(
        unnamed.is_empty(),
        "{spec}: the page does not name {unnamed:?}"
    );
    // Other text between asterisks is not a scenario: the page explains its notation, and contains
    // patterns of file names.
    let is_sentence = |words: &&String| words.contains(' ') && !words.contains('`');
    let unknown: Vec<&String> = italics.difference(&scenarios).filter(is_sentence).collect();
    assert!(
        unknown.is_empty(),
        "{spec}: there are no scenarios {unknown:?}"
    );
}

#[test]
fn work_by_plan_is_mapped() {
    is_mapped("000", "work_by_plan");
}

#[test]
fn plan_mode_is_mapped() {
    is_mapped("001", "plan_mode");
}

#[test]
fn auto_run_is_mapped() {
    is_mapped("002", "auto_run");
}

#[test]
fn plan_builder_is_mapped() {
    is_mapped("003", "plan_builder");
}

#[test]
fn planning_files_is_mapped() {
    is_mapped("004", "planning_files");
}
