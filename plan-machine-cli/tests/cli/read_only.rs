//! `plan-machine log` on files and in folders that the user cannot write to.

use std::path::Path;
use std::process::Command;

use super::stored::{drafted, with_spec};

/// Runs a script without the right to ignore permissions, which root has. Returns the status and both streams.
fn unprivileged(folder: &Path, script: &str) -> String {
    let output = Command::new("unshare")
        .args(["--user", "--map-user=1000", "sh", "-uc", script, "sh"])
        .arg(env!("CARGO_BIN_EXE_plan-machine"))
        .current_dir(folder)
        .output()
        .expect("`unshare` of util-linux");
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

/// Lists the sessions, and then the files beside the store.
const LISTED: &str =
    "\"$1\" log --store sqlite:kept/plans.db; echo \"status $?\"; ls kept; chmod 700 kept";

fn kept(name: &str) -> std::path::PathBuf {
    let folder = with_spec(name);
    drafted(&folder);
    std::fs::create_dir(folder.join("kept")).expect("a folder");
    std::fs::copy(folder.join("plans.db"), folder.join("kept/plans.db")).expect("copied");
    folder
}

#[test]
fn a_store_is_read_without_leaving_files_if_it_or_its_folder_is_read_only() {
    for (name, modes) in [
        ("read-only-folder", "chmod 500 kept"),
        ("read-only-file", "chmod 400 kept/plans.db"),
        ("read-only-both", "chmod 400 kept/plans.db; chmod 500 kept"),
    ] {
        let folder = kept(name);
        let told = unprivileged(&folder, &format!("{modes}; {LISTED}"));
        assert!(
            told.contains("cli:default-session  2 entries"),
            "{name}: {told}"
        );
        assert!(told.ends_with("status 0\nplans.db\n"), "{name}: {told}");
    }
}

#[test]
fn a_read_only_store_whose_log_has_content_says_what_to_do() {
    for (name, modes) in [
        ("log-in-a-folder", "chmod 500 kept"),
        ("log-of-a-file", "chmod 400 kept/plans.db kept/plans.db-wal"),
    ] {
        let folder = kept(name);
        let path = folder.join("kept/plans.db");
        // Copies the write-ahead log of a process that is still running, but not the index that the process shares with
        // other processes.
        let file = rusqlite::Connection::open(folder.join("plans.db")).expect("the store");
        file.execute_batch("PRAGMA user_version = 3")
            .expect("written");
        for end in ["", "-wal"] {
            let from = folder.join(format!("plans.db{end}"));
            std::fs::copy(from, format!("{}{end}", path.display())).expect("copied");
        }
        let told = unprivileged(&folder, &format!("{modes}; {LISTED}"));
        assert!(
            told.contains("copy both files to a folder"),
            "{name}: {told}"
        );
        assert!(told.contains("status 2"), "{name}: {told}");
        assert!(!told.contains("-shm"), "{name}: {told}");
    }
}
