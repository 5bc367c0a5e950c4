//! The Rust code of the documents: it compiles and runs, or fails to compile as shown.

use std::fs;
use std::path::PathBuf;

use plan_machine_kernel::json::Json;

use super::blocks::{Document, Kind};
use super::{documents, each};
use crate::cargo::{accept_snapshots, errors, fine, plan_machine_crate};

/// Creates a crate with the document's specs at its root, and with its Rust files.
fn crate_of(document: &Document, test: &str) -> PathBuf {
    let folder = document.saved(test);
    let plan_machine = plan_machine_crate();
    let plan_machine = Json::from(plan_machine.to_str().expect("a path in UTF-8"));
    let manifest = format!(
        r#"[package]
name = "documents"
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
plan-machine = {{ path = {plan_machine}, features = ["calls"] }}

[dev-dependencies]
insta = "1"
plan-machine = {{ path = {plan_machine}, features = ["interpret"] }}
serde_json = "1"

[workspace]
"#
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    let library = folder.join("src/lib.rs");
    if !library.exists() {
        fs::create_dir_all(folder.join("src")).expect("made");
        fs::write(library, "").expect("written");
    }
    if let Some(body) = document.program() {
        let program =
            format!("fn main() -> Result<(), Box<dyn std::error::Error>> {{\n{body}\nOk(())\n}}\n");
        fs::create_dir_all(folder.join("examples")).expect("made");
        fs::write(folder.join("examples/program.rs"), program).expect("written");
    }
    folder
}

fn example(file: &str) -> Option<&str> {
    file.strip_prefix("examples/")?.strip_suffix(".rs")
}

#[test]
fn every_piece_of_rust_compiles_and_runs() {
    for document in documents() {
        let mut files: Vec<&str> = Vec::new();
        for block in &document.blocks {
            if let Kind::Rust(Some(file)) = &block.kind {
                files.push(file);
            }
        }
        let program = document.program().map(|_| "examples/program.rs");
        files.extend(program);
        if files.is_empty() {
            continue;
        }
        let folder = crate_of(&document, "rust");
        for file in files {
            if let Some(example) = example(file) {
                fine(&folder, &format!("run --quiet --example {example}"));
            } else if file == "src/lib.rs" {
                fine(&folder, "test --quiet --lib");
            } else if let Some(test) = test(file) {
                // The first run writes the snapshots, some of which the document shows.
                accept_snapshots(&folder, &format!("test --test {test}"));
                fine(&folder, &format!("test --quiet --test {test}"));
            } else {
                panic!("{}: {file} is not a file that Cargo builds", document.name);
            }
        }
        for block in &document.blocks {
            if let Kind::Snapshot(name) = &block.kind {
                let file = folder.join(format!("tests/snapshots/{name}.snap"));
                let kept = fs::read_to_string(file).unwrap_or_default();
                let kept = kept.splitn(3, "---\n").nth(2).unwrap_or_default();
                assert_eq!(kept, block.text, "{}", block.place);
            }
        }
    }
}

fn test(file: &str) -> Option<&str> {
    file.strip_prefix("tests/")?.strip_suffix(".rs")
}

#[test]
fn every_error_of_the_compiler_is_the_one_that_is_shown() {
    each(|document, block| {
        let Kind::Rustc(file) = &block.kind else {
            return None;
        };
        let folder = crate_of(document, "rustc");
        let line = if let Some(example) = example(file) {
            format!("check --example {example}")
        } else {
            let text = fs::read_to_string(folder.join(file)).expect("a document");
            let is_session = text.starts_with("session:");
            let macro_name = if is_session { "session" } else { "machine" };
            let library = format!("plan_machine::{macro_name}!({file:?});\n");
            fs::write(folder.join("src/lib.rs"), library).expect("written");
            "check --lib".to_owned()
        };
        let said = errors(&folder, &line);
        assert_eq!(said, block.text.trim_end(), "{}\n{said}", block.place);
        Some(())
    });
}
