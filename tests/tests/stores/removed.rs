//! Files that are removed, cut or replaced while a process uses them: no entry is acknowledged if it can never be read,
//! and no decision is made without entries that were acknowledged.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plan_machine_sessions::store::{Memory, Sqlite, StoreErrorKind};
use plan_machine_sessions::{Session, SessionError, Sessions};
use tempfile::TempDir;

use crate::world::{by, command, draft, identity, machines, ready, sessions};

async fn used(folder: &TempDir) -> (PathBuf, Session) {
    let path = folder.path().join("plans.db");
    let session =
        sessions(Sqlite::open(&path).expect("a store")).session(&identity("removed-file"));
    ready(&session).await;
    session.plans().await.expect("plans");
    (path, session)
}

fn log_of(path: &Path) -> PathBuf {
    path.with_extension("db-wal")
}

fn noticed<T: std::fmt::Debug>(answer: Result<T, SessionError>) {
    let Err(SessionError::Store(error)) = answer else {
        panic!("acknowledged, but it can never be read: {answer:?}");
    };
    assert_eq!(error.kind, StoreErrorKind::Unreachable, "{error}");
}

#[tokio::test]
async fn a_removed_database_is_noticed_before_the_next_acknowledgement() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, session) = used(&folder).await;
    for file in [path.clone(), log_of(&path), path.with_extension("db-shm")] {
        fs::remove_file(file).expect("removed");
    }
    noticed(draft(&session, "# lost").await);
    noticed(session.plans().await);
    noticed(command(&session, "/plan done").await);
    assert!(!path.exists(), "no new file is created");
}

#[tokio::test]
async fn a_removed_log_is_noticed_before_the_next_acknowledgement() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, session) = used(&folder).await;
    fs::remove_file(log_of(&path)).expect("removed");
    noticed(draft(&session, "# lost").await);
}

fn index_of(path: &Path) -> PathBuf {
    path.with_extension("db-shm")
}

#[tokio::test]
async fn a_removed_or_replaced_index_is_noticed_before_the_next_acknowledgement() {
    for is_replaced in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, session) = used(&folder).await;
        let index = index_of(&path);
        if is_replaced {
            let copy = folder.path().join("copy");
            fs::copy(&index, &copy).expect("copied");
            fs::rename(copy, &index).expect("replaced");
        } else {
            fs::remove_file(&index).expect("removed");
        }
        noticed(session.plans().await);
        stays_refused(&session).await;
    }
}

/// The file that the test below gives to another process.
const GIVEN: &str = "PLAN_MACHINE_TEST_FILE";

/// Adds entries in another process, which ends without closing the file, and returns the number of the last one.
fn added_by_another_process(path: &Path) -> Option<i32> {
    let tests = std::env::current_exe().expect("the path of the tests");
    let other = std::process::Command::new(tests)
        .args([
            "--exact",
            "removed::entries_of_another_process_outlive_a_process_without_its_index",
        ])
        .env(GIVEN, path)
        .status();
    other.expect("a process").code()
}

#[tokio::test]
async fn entries_of_another_process_outlive_a_process_without_its_index() {
    if let Some(path) = std::env::var_os(GIVEN) {
        let session =
            sessions(Sqlite::open(path).expect("a store")).session(&identity("another-process"));
        let seq = session.seq().await.expect("a number");
        if seq == 0 {
            ready(&session).await;
        } else {
            draft(&session, "# more").await.expect("drafted");
        }
        let seq = session.seq().await.expect("a number");
        std::process::exit(i32::try_from(seq).expect("a small number"));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (path, session) = used(&folder).await;
    fs::remove_file(index_of(&path)).expect("removed");
    assert_eq!(added_by_another_process(&path), Some(2));
    noticed(draft(&session, "# lost").await);
    noticed(session.plans().await);
    let _ = session.store().close().await;
    drop(session);
    assert_eq!(added_by_another_process(&path), Some(3), "entries are lost");
}

/// Cuts a file to a part of its length.
fn cut(file: &Path, part: impl Fn(u64) -> u64) {
    let file = fs::OpenOptions::new().write(true).open(file);
    let file = file.expect("the file");
    let length = file.metadata().expect("its length").len();
    file.set_len(part(length)).expect("cut");
}

#[tokio::test]
async fn a_log_that_becomes_shorter_is_noticed_before_the_next_acknowledgement() {
    for part in [|_| 0, |length| length / 2, |length| length - 1] {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, session) = used(&folder).await;
        cut(&log_of(&path), part);
        noticed(draft(&session, "# lost").await);
        let next = command(&session, "/plan done").await;
        assert!(next.is_err(), "acknowledged after a gap: {next:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_log_of_a_file_behind_a_link_is_checked() {
    for part in [|_| 0, |length| length / 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let real = folder.path().join("real.db");
        std::os::unix::fs::symlink("real.db", folder.path().join("plans.db")).expect("a link");
        let (_, session) = used(&folder).await;
        cut(&log_of(&real), part);
        stays_refused(&session).await;
    }
    let folder = tempfile::tempdir().expect("a folder");
    std::os::unix::fs::symlink("real.db", folder.path().join("plans.db")).expect("a link");
    let (_, session) = used(&folder).await;
    fs::remove_file(folder.path().join("real.db-wal")).expect("removed");
    noticed(draft(&session, "# lost").await);
}

#[tokio::test]
async fn a_database_that_becomes_shorter_is_noticed_before_the_next_acknowledgement() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, session) = used(&folder).await;
    // All data is in the database file, and the log is empty.
    session.store().close().await.expect("closed");
    draft(&session, "# is in the log").await.expect("drafted");
    cut(&path, |length| length - 2048);
    noticed(draft(&session, "# lost").await);
}

#[tokio::test]
async fn a_log_that_another_process_empties_is_not_taken_for_a_shorter_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, session) = used(&folder).await;
    let other = rusqlite::Connection::open(&path).expect("a connection");
    for number in 0..3 {
        let emptied = other.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        assert_eq!(emptied, Ok(0), "the log is in use");
        assert_eq!(fs::metadata(log_of(&path)).expect("the log").len(), 0);
        if number == 1 {
            // Another process has also begun to write the log again.
            other
                .execute_batch("CREATE TABLE other(x); DROP TABLE other")
                .expect("written");
        }
        draft(&session, &format!("# {number}"))
            .await
            .expect("drafted");
    }
}

#[tokio::test]
async fn data_from_a_removed_file_is_not_returned() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, session) = used(&folder).await;
    fs::rename(&path, folder.path().join("elsewhere.db")).expect("moved");
    noticed(session.plans().await);
}

/// Tries everything that could base a decision on the files, several times, because each error closes connections.
async fn stays_refused(session: &Session) {
    for _ in 0..3 {
        noticed(draft(session, "# lost").await);
        noticed(session.plans().await);
        noticed(session.seq().await);
        noticed(command(session, "/plan on").await);
    }
    let _ = session.store().close().await;
    noticed(session.plans().await);
    noticed(command(session, "/plan on").await);
}

#[tokio::test]
async fn a_process_whose_log_became_shorter_makes_no_further_decision() {
    for part in [|_| 0, |_| 32, |length| length / 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, session) = used(&folder).await;
        cut(&log_of(&path), part);
        stays_refused(&session).await;
    }
}

#[tokio::test]
async fn a_read_notices_that_the_log_became_shorter() {
    for part in [|_| 0, |_| 32, |length| length / 2] {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, session) = used(&folder).await;
        cut(&log_of(&path), part);
        noticed(session.plans().await);
        stays_refused(&session).await;
    }
}

/// Puts an older copy of the file in its place, like a person who restores a backup.
async fn replaced_with_an_older_copy(folder: &TempDir, path: &Path, session: &Session) {
    session.store().close().await.expect("closed");
    let copy = folder.path().join("copy.db");
    fs::copy(path, &copy).expect("copied");
    draft(session, "# after the copy").await.expect("drafted");
    session.store().close().await.expect("closed");
    let _ = session.plans().await.expect("plans");
    for beside in [log_of(path), path.with_extension("db-shm")] {
        let _ = fs::remove_file(beside);
    }
    fs::rename(&copy, path).expect("put back");
}

#[tokio::test]
async fn a_process_makes_no_decision_with_an_older_copy_of_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, session) = used(&folder).await;
    replaced_with_an_older_copy(&folder, &path, &session).await;
    stays_refused(&session).await;
    let anew = sessions(Sqlite::open(&path).expect("a store")).session(&identity("removed-file"));
    assert_eq!(
        anew.seq().await,
        Ok(2),
        "a new process continues with the copy"
    );
}

/// Returns the error of a session whose acknowledged entries are missing.
fn is_behind<T: std::fmt::Debug>(answer: Result<T, SessionError>) {
    let Err(error @ SessionError::Unreadable { .. }) = answer else {
        panic!("entries that were acknowledged are missing: {answer:?}");
    };
    let told = error.to_string();
    assert!(
        told.contains("entries that were acknowledged are missing"),
        "{told}"
    );
}

#[tokio::test]
async fn a_session_does_not_go_back_behind_what_it_acknowledged() {
    let sessions = sessions(Memory::new());
    let session = sessions.session(&identity("lost-entries"));
    ready(&session).await;
    // Another process deletes the session, or the store loses it.
    let store = sessions.store();
    store.delete(session.identity()).await.expect("deleted");
    for _ in 0..2 {
        is_behind(draft(&session, "# lost").await);
        is_behind(session.plans().await);
        session.reopen().await;
        is_behind(session.command("/plan on", &by("ann")).await);
    }
    session
        .restart("the store lost it", &by("ann"))
        .await
        .expect("a person can start over");
    ready(&session).await;
}

#[tokio::test]
async fn a_session_with_another_history_is_refused_even_if_it_is_longer() {
    let sessions = sessions(Memory::new());
    let session = sessions.session(&identity("other-entries"));
    ready(&session).await;
    let store = sessions.store();
    store.delete(session.identity()).await.expect("deleted");
    let other = Sessions::new(Arc::clone(store), machines());
    let other = other.session(session.identity());
    ready(&other).await;
    draft(&other, "# longer").await.expect("drafted");
    is_behind(session.plans().await);
}

#[tokio::test]
async fn a_session_that_its_process_deletes_starts_over() {
    let sessions = sessions(Memory::new());
    let session = sessions.session(&identity("deleted-here"));
    ready(&session).await;
    let deleted = sessions.delete(session.identity()).await;
    assert_eq!(deleted, Ok(true));
    ready(&session).await;
}
