//! A crate outside this workspace, in `tests/outside`: it depends only on `plan-machine`, has the strictest lints, and
//! is built as its author would build it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use plan_machine_compiler::emit::rust::rust;
use plan_machine_compiler::model::names::value_name;
use plan_machine_tests::{compiled, root, valid};
use quote::quote;

fn outside() -> PathBuf {
    root().join("tests/outside")
}

/// Runs cargo on a crate. The build is kept for the next run, separate from the build of this workspace.
fn cargo(folder: &Path, arguments: &[&str]) -> Output {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(folder).args(arguments);
    cargo.args(["--offline", "--locked", "--quiet"]);
    cargo.env(
        "CARGO_TARGET_DIR",
        Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside"),
    );
    // The crate is never debugged, so it is built without debug information.
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "false");
    cargo.output().expect("cargo")
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn it_is_free_of_lints_and_its_tests_pass() {
    let linted = cargo(&outside(), &["clippy", "--workspace", "--all-targets"]);
    assert!(linted.status.success(), "{}", told(&linted));
    let tested = cargo(&outside(), &["test", "--workspace", "--lib", "--tests"]);
    let said = String::from_utf8_lossy(&tested.stdout);
    assert!(tested.status.success(), "{}\n{said}", told(&tested));
}

/// Copies the crate to a folder in which tests may change it; the copy uses the `plan-machine` of this repository.
fn copy() -> PathBuf {
    let there = Path::new(env!("CARGO_TARGET_TMPDIR")).join("changed");
    let ours = root()
        .canonicalize()
        .expect("the folder of the repository")
        .join("plan-machine");
    for folder in ["src", "specs"] {
        fs::create_dir_all(there.join(folder)).expect("a folder");
        for entry in fs::read_dir(outside().join(folder)).expect("a folder") {
            let path = entry.expect("a file").path();
            let name = path.file_name().unwrap_or_default();
            fs::copy(&path, there.join(folder).join(name)).expect("a file");
        }
    }
    let manifest = fs::read_to_string(outside().join("Cargo.toml")).expect("a manifest");
    let ours = ours.to_string_lossy().replace('\\', "/");
    let manifest = manifest.replace("../../plan-machine", &ours);
    let manifest = manifest.replace("members = [\"renamed\"]\n", "");
    fs::write(there.join("Cargo.toml"), manifest).expect("a manifest");
    let lock = fs::read_to_string(outside().join("Cargo.lock")).expect("a lock file");
    let packages = lock
        .split("\n\n")
        .filter(|one| !one.contains("name = \"renamed\""));
    let lock: Vec<&str> = packages.collect();
    fs::write(there.join("Cargo.lock"), lock.join("\n\n")).expect("a lock file");
    there
}

#[test]
fn a_changed_spec_is_compiled_again() {
    let copy = copy();
    let check = || cargo(&copy, &["check", "--lib"]);
    let change = |file: &str, from: &str, to: &str| {
        let path = copy.join("specs").join(file);
        let text = fs::read_to_string(&path).expect("a spec");
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).expect("a spec");
    };
    let first = check();
    assert!(first.status.success(), "{}", told(&first));

    change("note.yaml", "ready", "prepared");
    let renamed = told(&check());
    assert!(renamed.contains("no variant named `Ready`"), "{renamed}");
    change("note.yaml", "prepared", "ready");
    change("note.yaml", "begin: OPEN", "begin: OPNE");
    let misspelt = told(&check());
    assert!(misspelt.contains("did you mean `OPEN`?"), "{misspelt}");
    assert!(misspelt.contains("--> specs/note.yaml:"), "{misspelt}");
    assert_eq!(misspelt.matches("\nerror").count(), 1, "{misspelt}");
    let section = r##"begin: { to: OPEN, reply: '{section("# A", "A") ?? "none"}' }"##;
    change("note.yaml", "begin: OPNE", section);
    let markdown = told(&check());
    assert!(
        markdown.contains("needs the `markdown` feature"),
        "{markdown}"
    );
    change("note.yaml", section, "begin: OPEN");
    change("memory.yaml", "TASK_RUN", "CHORE_RUN");
    let scopes = told(&check());
    assert!(scopes.contains("`TaskRun`"), "{scopes}");
    change("memory.yaml", "CHORE_RUN", "TASK_RUN");
    let last = check();
    assert!(last.status.success(), "{}", told(&last));
}

/// The crate's `crowded.rs` tests the other direction: nothing around the module affects the module.
#[test]
fn a_machine_is_one_module_and_nothing_else() {
    for spec in valid() {
        let machine = compiled(&spec.name, &spec.text).compilation.machine;
        let machine = machine.expect("a valid spec");
        let file: syn::File = syn::parse2(rust(&machine, &quote!(::plan_machine))).expect("Rust");
        let [syn::Item::Mod(module)] = &file.items[..] else {
            panic!("{}: {} items", spec.name, file.items.len());
        };
        let name = module.ident.to_string();
        assert_eq!(name.trim_start_matches("r#"), value_name(&machine.name));
    }
}

/// The crate can be built offline only if all of its dependencies are also dependencies of this
/// workspace.
#[test]
fn its_dependencies_are_among_ours() {
    let packages = |folder: &Path| -> BTreeSet<String> {
        let lock = fs::read_to_string(folder.join("Cargo.lock")).expect("a lock file");
        let all = lock.split("[[package]]").skip(1);
        let named = all.map(|one| one.lines().take(3).collect::<Vec<_>>().join(" "));
        named.collect()
    };
    let ours = packages(&root());
    let others: Vec<String> = packages(&outside()).difference(&ours).cloned().collect();
    let own = |one: &String| one.contains("\"outside\"") || one.contains("\"renamed\"");
    assert!(
        others.iter().all(own),
        "update tests/outside/Cargo.lock; these packages are not in the lock file of the workspace: {others:?}"
    );
}
