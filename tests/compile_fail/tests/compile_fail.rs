//! Code that violates the spec does not compile, and the compiler explains why in terms of the spec.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The specs of the corpus that the cases use, besides those in their own folder.
const SPECS: [&str; 2] = [
    "corpus/valid/work_by_plan.yaml",
    "corpus/scopes/valid/memory.yaml",
];

/// Returns the folder of the crate in which the cases are compiled: `trybuild` creates it in cargo's target folder.
fn made_crate() -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    let asked = cargo.args(["metadata", "--no-deps", "--offline", "--format-version=1"]);
    let told = asked.output().expect("cargo").stdout;
    let told: serde_json::Value = serde_json::from_slice(&told).expect("JSON of cargo");
    let target = told["target_directory"].as_str().expect("a folder");
    Path::new(target)
        .join("tests/trybuild")
        .join(env!("CARGO_PKG_NAME"))
}

/// Copies the specs into the created crate. The path of a spec is relative to the root of the crate that names the
/// spec, so each copy has the same relative path.
fn put_specs_in_place() {
    let (here, there) = (Path::new(env!("CARGO_MANIFEST_DIR")), made_crate());
    let own = fs::read_dir(here.join("tests/compile_fail")).expect("the cases");
    let own =
        own.map(|entry| Path::new("tests/compile_fail").join(entry.expect("a file").file_name()));
    let own = own.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let own = own.map(|path| (here.join(&path), there.join(&path)));
    let corpus = SPECS.map(|path| (here.join("..").join(path), there.join(path)));
    for (spec, copy) in own.chain(corpus) {
        fs::create_dir_all(copy.parent().unwrap_or(&there)).expect("a folder");
        fs::copy(spec, copy).expect("a spec");
    }
}

#[test]
fn code_that_violates_its_spec_does_not_compile() {
    put_specs_in_place();
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
