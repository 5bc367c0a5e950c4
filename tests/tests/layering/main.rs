//! Dependencies between crates, modules and files go in only one direction.

mod circles;
mod crates;
mod decisions;
mod duplicates;
mod examples;
mod imports;
mod names;
mod table;

use std::fs;
use std::path::PathBuf;

use plan_machine_tests::root;

use crate::imports::files;

fn sources() -> PathBuf {
    root().join("plan-machine-compiler/src")
}

#[test]
fn the_yaml_crate_is_named_only_in_the_yaml_reader() {
    let mut is_named = false;
    for file in files(&sources()) {
        let text = fs::read_to_string(&file).expect("a file of the compiler");
        if text.contains("granit_parser") {
            assert!(file.ends_with("syntax/yaml/tree.rs"), "{}", file.display());
            is_named = true;
        }
    }
    assert!(is_named, "the YAML reader does not name the crate");
}

#[test]
fn the_crate_syn_is_named_only_in_the_dsl_reader() {
    let reader = sources().join("syntax/dsl");
    let mut is_named = false;
    for file in files(&sources()) {
        let text = fs::read_to_string(&file).expect("a file of the compiler");
        if text.contains("use syn::") || text.contains(" syn::") {
            assert!(file.starts_with(&reader), "{}", file.display());
            is_named = true;
        }
    }
    assert!(is_named, "the DSL reader does not name the crate");
}

#[test]
fn no_crate_of_the_compiler_pulls_in_serde() {
    let lock =
        fs::read_to_string(root().join("plan-machine-compiler/Cargo.toml")).expect("a manifest");
    let dependencies = lock.split("[dev-dependencies]").next().unwrap_or_default();
    assert!(!dependencies.contains("serde"));
}

#[test]
fn the_root_file_of_a_module_folder_is_its_mod_rs() {
    let crates = [
        "plan-machine-kernel",
        "plan-machine-calls",
        "plan-machine-compiler",
        "plan-machine-macros",
        "plan-machine",
        "plan-machine-sessions",
        "plan-machine-agents",
        "plan-machine-server",
        "plan-machine-cli",
    ];
    for file in crates
        .iter()
        .flat_map(|name| files(&root().join(name).join("src")))
    {
        assert!(!file.with_extension("").is_dir(), "{}", file.display());
    }
}
