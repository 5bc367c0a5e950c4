//! Outages of the store: if the disk is full or the file cannot be written, the error says so, and the session can be
//! used again afterwards.

use std::process::{Command, Output};

use plan_machine_sessions::store::{Sqlite, StoreErrorKind};

/// Runs a script that may mount file systems, which other processes do not see.
fn with_mounts(script: &str, folder: &std::path::Path) -> Output {
    Command::new("unshare")
        .args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-euc",
            script,
            "sh",
        ])
        .arg(folder)
        .arg(env!("CARGO_BIN_EXE_session-host"))
        .output()
        .expect("`unshare` of util-linux is installed")
}

#[test]
fn a_full_disk_is_reported_and_the_session_continues_when_there_is_room() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = "mount -t tmpfs -o size=1m none \"$1\" && exec \"$2\" fill \"$1\"";
    let output = with_mounts(script, folder.path());
    let (told, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{told}{errors}");
    assert!(
        told.contains("the store is full") && told.ends_with("continued\n"),
        "{told}"
    );
}

#[test]
fn a_file_that_cannot_be_written_is_reported_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = "
        mkdir \"$1/there\" \"$1/seen\"
        echo | \"$2\" approve \"$1/there/plans.db\" read-only-file >/dev/null
        before=$(cat \"$1\"/there/* | cksum)
        mount --bind \"$1/there\" \"$1/seen\"
        mount -o remount,bind,ro \"$1/seen\"
        if \"$2\" approve \"$1/seen/plans.db\" read-only-file </dev/null; then exit 1; fi
        [ \"$before\" = \"$(cat \"$1\"/there/* | cksum)\" ]
        umount \"$1/seen\"
        echo | \"$2\" approve \"$1/there/plans.db\" read-only-file";
    let output = with_mounts(script, folder.path());
    let (told, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{told}{errors}");
    assert!(errors.contains("ReadOnly"), "{errors}");
    assert!(told.ends_with("not_allowed\n"), "{told}");
}

#[test]
fn a_folder_that_does_not_exist_is_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let error = Sqlite::open(folder.path().join("nowhere/plans.db"))
        .expect_err("the folder does not exist");
    assert_eq!(error.kind, StoreErrorKind::Unreachable);
    assert!(error.to_string().contains("nowhere/plans.db"), "{error}");
    let error =
        Sqlite::open_existing(folder.path().join("plans.db")).expect_err("the file does not exist");
    assert_eq!(error.kind, StoreErrorKind::Unreachable);
    assert!(!folder.path().join("plans.db").exists());
}
