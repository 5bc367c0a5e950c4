//! `plan-machine new`: the crate that it creates works without changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cargo::{accept_snapshots, cargo, errors, fine, plan_machine_crate};
use super::{fresh, plan_machine, transcript};

/// A folder outside any workspace, which is removed at the end of the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let unique = format!("plan-machine-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(unique);
        fs::create_dir_all(&folder).expect("a temporary folder can be made");
        Self(folder)
    }

    /// Creates a crate as a user does. The crate uses plan-machine from the clone in which the command was built.
    fn make(&self, name: &str) -> PathBuf {
        let mut command = plan_machine(&self.0, &format!("new {name}"));
        command.assert().success();
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If this fails, the files remain in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns all files in a folder by their relative paths.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        if path.is_dir() {
            found.extend(files(&path).iter().map(|inner| format!("{name}/{inner}")));
        } else {
            found.push(name.into_owned());
        }
    }
    found.sort_unstable();
    found
}

/// Returns the blocks of one kind in the new crate's README, without the indentation of the list around them.
fn blocks(readme: &str, kind: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut lines = readme.lines();
    while let Some(line) = lines.next() {
        if line.trim() == format!("```{kind}") {
            let block = lines.by_ref().take_while(|line| line.trim() != "```");
            let block = block.map(|line| line.strip_prefix("   ").unwrap_or(line).to_owned());
            found.push(block.collect());
        }
    }
    found
}

/// Applies a diff: the lines with `-` are replaced by those with `+` that follow.
fn apply(file: &Path, diff: &[String]) {
    let mut text = fs::read_to_string(file).expect("the spec");
    let mut changes = diff.iter().peekable();
    while let Some(line) = changes.next() {
        let old = line.strip_prefix('-').expect("a removed line");
        let mut new = Vec::new();
        while let Some(line) = changes.next_if(|line| line.starts_with('+')) {
            new.push(&line[1..]);
        }
        assert_eq!(text.matches(&format!("\n{old}\n")).count(), 1, "{old}");
        let new = format!("\n{}\n", new.join("\n"));
        text = text.replace(&format!("\n{old}\n"), &new);
    }
    fs::write(file, text).expect("written");
}

#[test]
fn it_says_what_is_there_and_what_comes_next() {
    let folder = fresh("new");
    let told = transcript(&folder, "new my-plans", "");
    // The rest of the output depends on whether the folder of the tests is in a workspace.
    let told = told.split("\n--- ").next().unwrap_or_default();
    let told = told.split("\nnote: ").next().unwrap_or_default();
    insta::assert_snapshot!(told);
    let files = files(&folder.join("my-plans"));
    for file in [
        "Cargo.toml",
        ".gitignore",
        "README.md",
        "plan.yaml",
        "src/lib.rs",
        "src/main.rs",
    ] {
        assert!(files.iter().any(|made| made == file), "{file}");
    }
    let manifest = fs::read_to_string(folder.join("my-plans/Cargo.toml")).expect("a manifest");
    let clone = plan_machine_crate().canonicalize().expect("the clone");
    let wanted = format!("plan-machine = {{ path = {clone:?} }}\n");
    assert!(manifest.contains(&wanted), "{manifest}");
}

#[test]
fn a_folder_that_the_user_names_is_the_dependency() {
    let folder = fresh("new_dependency");
    let library = folder.join("elsewhere");
    fs::create_dir_all(&library).expect("made");
    fs::write(library.join("Cargo.toml"), "name = \"plan-machine\"\n").expect("written");
    let told = transcript(&folder, "new my-plans --dependency elsewhere", "");
    assert!(!told.contains("where this command was built"), "{told}");
    let manifest = fs::read_to_string(folder.join("my-plans/Cargo.toml")).expect("a manifest");
    let library = library.canonicalize().expect("the folder");
    assert!(manifest.contains(&format!("{library:?}")), "{manifest}");
}

#[test]
fn a_workspace_around_it_is_mentioned() {
    let folder = fresh("new_member");
    fs::write(folder.join("Cargo.toml"), "[workspace]\nmembers = []\n").expect("written");
    let told = transcript(&folder, "new my-plans --path crates/my-plans", "");
    assert!(
        told.contains("add crates/my-plans to the `members` of that workspace"),
        "{told}"
    );
    let made = folder.join("crates/my-plans");
    assert!(made.join("plan.yaml").is_file());
    // Cargo does not look for the crate among the members of the other workspace.
    let read = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .current_dir(&made)
        .output()
        .expect("cargo starts");
    assert!(read.status.success(), "{read:?}");
}

#[test]
fn nothing_is_overwritten() {
    let folder = fresh("new_twice");
    fs::create_dir_all(folder.join("notes")).expect("made");
    fs::write(folder.join("notes/plan.yaml"), "mine").expect("written");
    insta::assert_snapshot!(transcript(&folder, "new notes", ""));
    assert_eq!(files(&folder), ["notes/plan.yaml"]);
}

#[test]
fn what_cannot_be_made_is_said() {
    let folder = fresh("new_wrong");
    fs::write(folder.join("file"), "").expect("written");
    let lines = [
        "new 1st",
        "new match",
        "new plan-machine",
        "new plans --path file/plans",
        "new plans --dependency nowhere",
    ];
    let told = lines.map(|line| transcript(&folder, line, ""));
    insta::assert_snapshot!(told.join("\n"));
    assert_eq!(files(&folder), ["file"]);
}

#[test]
fn its_spec_is_sound_and_no_mutant_of_it_survives() {
    let scratch = Scratch::new("spec");
    let folder = scratch.make("plans");
    let check = transcript(&folder, "check --deny-warnings plan.yaml", "");
    assert!(check.ends_with("--- status 0\n"), "{check}");
    let mutants = transcript(&folder, "mutate plan.yaml", "");
    assert!(mutants.contains(" 0 survived"), "{mutants}");
}

#[test]
fn it_builds_runs_and_breaks_as_its_readme_says() {
    let scratch = Scratch::new("crate");
    let folder = scratch.make("my-plans");
    let tests = fine(&folder, "test --lib --bins");
    assert!(tests.contains("2 passed"), "{tests}");
    fine(&folder, "test --doc");
    insta::assert_snapshot!(fine(&folder, "run"));

    let readme = fs::read_to_string(folder.join("README.md")).expect("a README");
    let (diffs, shown) = (blocks(&readme, "diff"), blocks(&readme, "text"));
    let spec = folder.join("plan.yaml");
    let sound = fs::read_to_string(&spec).expect("the spec");
    apply(&spec, &diffs[0]);
    let said = errors(&folder, "check");
    assert!(said.starts_with(&shown[0].join("\n")), "{said}");

    fs::write(&spec, sound).expect("written");
    apply(&spec, &diffs[1]);
    fine(&folder, "check");
}

#[test]
fn its_snapshots_hold_until_the_spec_changes() {
    let scratch = Scratch::new("snapshots");
    let folder = scratch.make("my-plans");
    fine(&folder, "test");

    let readme = fs::read_to_string(folder.join("README.md")).expect("a README");
    apply(&folder.join("plan.yaml"), &blocks(&readme, "diff")[1]);
    let tests = cargo(&folder, "test");
    assert!(
        !tests.status.success(),
        "the snapshots belong to another machine"
    );
    accept_snapshots(&folder, "test");
    fine(&folder, "test");
}
