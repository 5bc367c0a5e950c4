//! Files that are removed while a process uses them: no entry is acknowledged if it can never be read.

use std::fs;
use std::path::{Path, PathBuf};

use plan_machine_sessions::store::{Sqlite, StoreErrorKind};
use plan_machine_sessions::{Session, SessionError};
use tempfile::TempDir;

use crate::world::{command, draft, identity, ready, sessions};

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

#[tokio::test]
async fn a_session_continues_in_the_file_that_replaced_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, session) = used(&folder).await;
    session.store().close().await.expect("closed");
    let copy = folder.path().join("copy.db");
    fs::copy(&path, &copy).expect("copied");
    draft(&session, "# after the copy").await.expect("drafted");
    session.store().close().await.expect("closed");
    let _ = session.plans().await.expect("plans");
    for beside in [log_of(&path), path.with_extension("db-shm")] {
        let _ = fs::remove_file(beside);
    }
    fs::rename(&copy, &path).expect("put back");
    noticed(session.plans().await);
    assert_eq!(
        session.seq().await,
        Ok(2),
        "the session is as it was when the file was copied"
    );
    draft(&session, "# goes on").await.expect("drafted");
    assert_eq!(session.seq().await, Ok(3));
}
