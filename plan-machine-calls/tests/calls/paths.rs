//! Paths in real folders, with symbolic links.

use std::fs;
use std::path::Path;

use super::{NOTES, READS, WRITES, bash, call, classifier};
use plan_machine_calls::{Class, Classifier};
use tempfile::TempDir;

/// Returns a project with the folders `plans/deep`, `src/deep` and `plans2`, next to the folder
/// `outside`.
fn project() -> (TempDir, Classifier) {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("project");
    for inner in ["plans/deep", "src/deep", "plans2"] {
        fs::create_dir_all(root.join(inner)).expect("a folder");
    }
    fs::create_dir_all(folder.path().join("outside")).expect("a folder");
    fs::write(root.join("src/main.rs"), "fn main() {}\n").expect("a file");
    let classifier = classifier(&root);
    (folder, classifier)
}

fn write(classifier: &Classifier, path: &str) -> Class {
    call(classifier, "Write", "file_path", path).class
}

#[cfg(unix)]
fn link(folder: &TempDir, target: &str, name: &str) {
    let name = folder.path().join("project").join(name);
    std::os::unix::fs::symlink(target, name).expect("a link");
}

#[test]
fn a_path_below_the_folder_is_in_the_class() {
    let (folder, classifier) = project();
    let absolute = folder.path().join("project/plans/a.md");
    let absolute = absolute.to_str().expect("UTF-8");
    for path in [
        "plans/a.md",
        "./plans/a.md",
        "plans/deep/a.md",
        "plans/new/deeper/a.md",
        "plans//a.md",
        "src/../plans/a.md",
        "plans/deep/../a.md",
        "plans/ä.md",
        absolute,
    ] {
        assert_eq!(write(&classifier, path), NOTES, "{path}");
    }
}

#[test]
fn a_path_elsewhere_is_not() {
    let (folder, classifier) = project();
    let absolute = folder.path().join("outside/a.md");
    let absolute = absolute.to_str().expect("UTF-8");
    for path in [
        "plans",
        "plans/",
        "plans/.",
        "plans2/a.md",
        "plansx",
        "src/main.rs",
        "plans/../src/main.rs",
        "plans/../../outside/a.md",
        "../project/../outside/a",
        "/etc/passwd",
        "/plans/a.md",
        "~/plans/a.md",
        "PLANS/a.md",
        "Plans/a.md",
        "plans\\a.md",
        "plans\\..\\src\\main.rs",
        "",
        "plans/a\0b",
        "plans/a\nb",
        " plans/a.md",
        "./",
        "..",
        absolute,
    ] {
        assert_ne!(write(&classifier, path), NOTES, "{path:?}");
    }
}

#[test]
fn a_path_that_goes_out_and_comes_back_is_where_it_ends() {
    let (_folder, classifier) = project();
    assert_eq!(write(&classifier, "../project/plans/a.md"), NOTES);
    assert_eq!(write(&classifier, "plans/../plans/a.md"), NOTES);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_is_followed_and_must_stay_in_the_folder() {
    let (folder, classifier) = project();
    let outside = folder.path().join("outside");
    link(&folder, outside.to_str().expect("UTF-8"), "plans/out");
    link(&folder, "../src", "plans/src");
    link(&folder, "deep", "plans/inner");
    link(&folder, "../src/main.rs", "plans/main.md");
    link(&folder, "../../outside/new.md", "plans/dangling.md");
    link(&folder, "loop", "plans/loop");
    assert_eq!(write(&classifier, "plans/inner/a.md"), NOTES);
    for path in [
        "plans/out/a.md",
        "plans/src/a.rs",
        "plans/main.md",
        "plans/dangling.md",
        "plans/loop",
        "plans/out/../a.md",
        "plans/src/../a.md",
        "plans/inner/../a.md",
    ] {
        assert_eq!(write(&classifier, path), WRITES, "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_of_the_rule_that_is_a_link_contains_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("project");
    fs::create_dir_all(root.join(".git/hooks")).expect("a folder");
    std::os::unix::fs::symlink(".git/hooks", root.join("plans")).expect("a link");
    let classifier = classifier(&root);
    assert_eq!(write(&classifier, "plans/pre-commit"), WRITES);
}

#[cfg(unix)]
#[test]
fn a_project_that_is_reached_by_a_link_is_the_same_project() {
    let (folder, _) = project();
    let linked = folder.path().join("linked");
    std::os::unix::fs::symlink(folder.path().join("project"), &linked).expect("a link");
    let classifier = classifier(&linked);
    let real = folder.path().join("project/plans/a.md");
    let by_link = linked.join("plans/a.md");
    for path in [Path::new("plans/a.md"), &real, &by_link] {
        let path = path.to_str().expect("UTF-8");
        assert_eq!(write(&classifier, path), NOTES, "{path}");
    }
}

#[test]
fn all_files_of_a_patch_must_match() {
    let (_folder, classifier) = project();
    let patch = |files: &[&str]| {
        let files: Vec<String> = files
            .iter()
            .map(|file| format!("*** Add File: {file}\n+x\n"))
            .collect();
        let patch = format!("*** Begin Patch\n{}*** End Patch\n", files.concat());
        call(&classifier, "apply_patch", "input", &patch).class
    };
    assert_eq!(patch(&["plans/a.md"]), NOTES);
    assert_eq!(patch(&["plans/a.md", "plans/b.md"]), NOTES);
    assert_eq!(patch(&["plans/a.md", "src/main.rs"]), WRITES);
    assert_eq!(patch(&[]), WRITES);
    let moved =
        "*** Begin Patch\n*** Update File: plans/a.md\n*** Move to: src/a.rs\n@@\n*** End Patch";
    assert_eq!(
        call(&classifier, "apply_patch", "input", moved).class,
        WRITES
    );
    let unknown = "*** Begin Patch\n*** Add File: plans/a\n*** Copy File: src/a\n*** End Patch";
    assert_eq!(
        call(&classifier, "apply_patch", "input", unknown).class,
        WRITES
    );
}

#[cfg(unix)]
#[test]
fn cd_stays_in_the_project_and_follows_no_link() {
    let (folder, classifier) = project();
    link(&folder, "/", "root");
    link(&folder, "src", "source");
    assert_eq!(bash(&classifier, "cd src && ls").class, READS);
    for command in [
        "cd root && ls",
        "cd root/etc && ls",
        "cd source && ls",
        "cd src/../.. && ls",
    ] {
        assert_eq!(bash(&classifier, command).class, WRITES, "{command}");
    }
}

#[test]
fn git_reads_no_other_repository_of_the_project() {
    let (folder, classifier) = project();
    let bare = folder.path().join("project/src/evil");
    fs::create_dir_all(bare.join("refs/deep")).expect("a folder");
    fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").expect("a file");
    assert_eq!(bash(&classifier, "cd src && git status").class, READS);
    assert_eq!(bash(&classifier, "cd src/evil && ls").class, READS);
    for command in [
        "cd src/evil && git status",
        "cd src/evil/refs/deep && git log",
        "cd src; cd evil; git log",
    ] {
        assert_eq!(bash(&classifier, command).class, WRITES, "{command}");
    }
}
