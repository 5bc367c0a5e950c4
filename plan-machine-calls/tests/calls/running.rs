//! Runs every ordinary read in real shells, and compares the project before and after.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{READS, bash, classifier, reads};
use tempfile::TempDir;

/// Returns the shells that agents use and that are installed.
fn shells() -> Vec<&'static str> {
    let shells = ["sh", "bash", "dash", "zsh"].into_iter();
    let exists = |shell: &&str| {
        let mut probe = Command::new(shell);
        probe
            .args(["-c", "true"])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        probe.status().is_ok_and(|status| status.success())
    };
    shells.filter(exists).collect()
}

/// Returns a project with files whose names look like flags, and with a git repository.
fn project() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("project");
    fs::create_dir_all(root.join("src/deep")).expect("a folder");
    fs::create_dir_all(root.join("tests")).expect("a folder");
    fs::create_dir_all(folder.path().join("home")).expect("a folder");
    for (name, text) in [
        ("README.md", "# A\nmain b\n"),
        ("src/main.rs", "fn main() {}\n"),
        ("src/deep/lib.rs", "pub fn lib() {}\n"),
        ("package.json", "{\"name\":\"a\",\"dependencies\":{}}\n"),
        ("file with spaces.md", "x\n"),
        // A pattern that expands to a flag must not expand to a harmful one.
        ("-delete", ""),
        ("--pre=touch", ""),
        ("--output=pwned", ""),
        ("-o", ""),
    ] {
        fs::write(root.join(name), text).expect("a file");
    }
    for line in [
        "init -q",
        "add .",
        "-c user.name=a -c user.email=a@b commit -q -m first",
    ] {
        let mut git = Command::new("git");
        git.current_dir(&root)
            .args(line.split(' '))
            .env("HOME", folder.path().join("home"));
        let done = git.output().expect("`git` is installed");
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "`git {line}`: {told}");
    }
    folder
}

/// Collects the content of every file below a folder, except the index, which git refreshes when it reads.
fn contents(folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.insert(path.clone(), Vec::new());
            contents(&path, all);
        } else if !path.ends_with(".git/index") {
            all.insert(path.clone(), fs::read(&path).unwrap_or_default());
        }
    }
}

fn snapshot(folder: &TempDir) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    contents(folder.path(), &mut all);
    all
}

/// Runs a command and returns its exit status.
fn run(shell: &str, command: &str, folder: &TempDir) -> Option<i32> {
    let mut process = Command::new(shell);
    process
        .args(["-c", command])
        .current_dir(folder.path().join("project"))
        .env("HOME", folder.path().join("home"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    process.status().expect("the shell starts").code()
}

/// The exit status of a command whose program the shell does not find.
const NOT_FOUND: Option<i32> = Some(127);

/// Programs of the ordinary reads that may be missing on a computer.
const OPTIONAL: [&str; 20] = [
    "cargo",
    "column",
    "fd",
    "file",
    "hexdump",
    "hostname",
    "jq",
    "md5sum",
    "node",
    "nproc",
    "ps",
    "python",
    "python3",
    "rg",
    "rustc",
    "sha256sum",
    "strings",
    "tac",
    "tree",
    "xxd",
];

/// Returns the optional programs that this computer lacks.
fn missing(folder: &TempDir) -> Vec<&'static str> {
    let mut missing = OPTIONAL.to_vec();
    missing.retain(|program| run("sh", &format!("{program} --version"), folder) == NOT_FOUND);
    missing
}

/// Returns whether a command contains the name of one of these programs as a word.
fn names_one(command: &str, programs: &[&str]) -> bool {
    let mut words = command.split_whitespace();
    words.any(|word| programs.contains(&word))
}

#[test]
fn no_command_of_the_class_writes_anything_in_a_real_shell() {
    let folder = project();
    let classifier = classifier(&folder.path().join("project"));
    let missing = missing(&folder);
    let before = snapshot(&folder);
    let shells = shells();
    for shell in ["sh", "bash"] {
        assert!(shells.contains(&shell), "`{shell}` is not installed");
    }
    for shell in shells {
        let (mut all, mut succeeded) = (0, 0);
        for command in reads() {
            assert_eq!(bash(&classifier, &command).class, READS, "{command}");
            let status = run(shell, &command, &folder);
            let is_found = status != NOT_FOUND || names_one(&command, &missing);
            assert!(is_found, "{shell} does not find a program of `{command}`");
            all += 1;
            succeeded += usize::from(status == Some(0));
        }
        // The other commands fail because their file does not exist or because their program is missing.
        assert!(
            succeeded * 3 > all * 2,
            "{shell}: only {succeeded} of {all} commands succeed; {missing:?} are missing"
        );
        let after = snapshot(&folder);
        if before != after {
            // The changed files are listed only if the test fails.
            let changed: Vec<&PathBuf> = after
                .iter()
                .filter(|(path, text)| before.get(*path) != Some(*text))
                .map(|(path, _)| path)
                .collect();
            panic!("{shell} changed {changed:?}");
        }
    }
}

/// Shows that the check above notices a command that writes.
#[test]
fn a_command_that_writes_is_noticed() {
    let folder = project();
    for (command, written) in [
        ("sort -o pwned README.md", "project/pwned"),
        ("touch pwned2", "project/pwned2"),
    ] {
        let before = snapshot(&folder);
        run("sh", command, &folder);
        assert_ne!(before, snapshot(&folder), "{command}");
        assert!(folder.path().join(written).is_file(), "{command}");
    }
}

/// Shows that patterns are as dangerous as the table says: this command writes a file, and is not in the class.
#[test]
fn a_pattern_that_becomes_a_flag_writes_and_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("project");
    fs::create_dir_all(&root).expect("a folder");
    for (name, text) in [("-o", ""), ("a", "kept\n"), ("b", "written\n")] {
        fs::write(root.join(name), text).expect("a file");
    }
    let classifier = classifier(&root);
    assert_ne!(bash(&classifier, "sort *").class, READS);
    assert_eq!(bash(&classifier, "sort ./*").class, READS);
    run("sh", "sort *", &folder);
    let written = fs::read_to_string(root.join("a")).expect("a file");
    assert_eq!(written, "written\n");
}
