//! The modules of the compiler import only what stands before them on the way of a spec.

use std::fs;
use std::path::{Path, PathBuf};

use plan_machine_tests::root;

/// Who may import whom, besides `source`, `diagnostic` and `operators`.
const ALLOWED: [(&str, &[&str]); 12] = [
    ("syntax", &[]),
    ("model", &[]),
    ("resolve", &["syntax", "model"]),
    ("check", &["model"]),
    ("semantics", &["model"]),
    ("prove", &["model", "semantics"]),
    ("diff", &["model"]),
    ("lower", &["model"]),
    ("emit", &["model", "lower"]),
    // The second kind of document goes a way of its own, with the words of the first.
    ("scopes", &["syntax", "model"]),
    // A mutant goes the whole way, from the syntax tree on.
    (
        "mutate",
        &[
            "syntax",
            "model",
            "prove",
            "check_spec",
            "compile_spec",
            "Compilation",
        ],
    ),
    ("diagnostic", &[]),
];

const EVERYWHERE: [&str; 3] = ["source", "diagnostic", "operators"];

fn sources() -> PathBuf {
    root().join("plan-machine-compiler/src")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the compiler") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// The modules of the crate that a file names: `crate::model::…`, in `use` lines and in paths.
fn imported(text: &str) -> Vec<String> {
    let code: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect();
    let text = code.join("\n");
    text.match_indices("crate::")
        .map(|(at, found)| {
            let rest = &text[at + found.len()..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            rest[..end.unwrap_or(rest.len())].to_owned()
        })
        .filter(|name| !name.is_empty())
        .collect()
}

#[test]
fn modules_import_only_what_stands_before_them() {
    for (module, allowed) in ALLOWED {
        let folder = sources().join(module);
        for file in files(&folder) {
            let text = fs::read_to_string(&file).expect("a file of the compiler");
            // Tests compile whole specs to have something to look at.
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            if file
                .file_stem()
                .is_some_and(|stem| stem == "tests" || stem == "samples")
            {
                continue;
            }
            for name in imported(code) {
                let fine = name == module
                    || EVERYWHERE.contains(&name.as_str())
                    || allowed.contains(&name.as_str());
                assert!(fine, "{} imports `{name}`", file.display());
            }
        }
    }
}

#[test]
fn the_yaml_crate_is_named_in_the_yaml_reader_alone() {
    for file in files(&sources()) {
        let text = fs::read_to_string(&file).expect("a file of the compiler");
        if text.contains("granit_parser") {
            assert!(file.ends_with("syntax/yaml/tree.rs"), "{}", file.display());
        }
    }
}

#[test]
fn the_crate_of_rusts_syntax_is_named_in_the_dsl_reader_alone() {
    let reader = sources().join("syntax/dsl");
    for file in files(&sources()) {
        let text = fs::read_to_string(&file).expect("a file of the compiler");
        if text.contains("use syn::") || text.contains(" syn::") {
            assert!(file.starts_with(&reader), "{}", file.display());
        }
    }
}

#[test]
fn every_folder_of_the_compiler_has_its_row_in_the_table() {
    for entry in fs::read_dir(sources()).expect("the compiler") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let listed = ALLOWED.iter().any(|(module, _)| *module == name);
        let leaf = EVERYWHERE.contains(&name.as_str()) || name == "lib";
        assert!(listed || leaf, "`{name}` has no row");
    }
}

#[test]
fn no_crate_of_the_compiler_pulls_in_serde() {
    let lock =
        fs::read_to_string(root().join("plan-machine-compiler/Cargo.toml")).expect("a manifest");
    let dependencies = lock.split("[dev-dependencies]").next().unwrap_or_default();
    assert!(!dependencies.contains("serde"));
}
