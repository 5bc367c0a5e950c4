//! The file of an `SQLite` store, and the processes that write to it.

use std::future::poll_fn;
use std::sync::{Arc, Barrier};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use plan_machine_sessions::store::{Commit, NextDue, Row, Sqlite, Store};

use crate::world::{identity, is_whole, ready, sessions};

#[test]
fn threads_that_create_a_file_at_once_create_one_store() {
    const AT_ONCE: usize = 8;
    let folder = tempfile::tempdir().expect("a folder");
    for round in 0..40 {
        let path = folder.path().join(format!("{round}.db"));
        let together = Barrier::new(AT_ONCE);
        let open = || {
            together.wait();
            Sqlite::open(&path).map(drop)
        };
        thread::scope(|scope| {
            let opened: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(open)).collect();
            for one in opened {
                assert_eq!(one.join().expect("no panic"), Ok(()));
            }
        });
    }
}

#[tokio::test]
async fn a_closed_file_is_complete_without_its_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let (path, copy) = (
        folder.path().join("plans.db"),
        folder.path().join("copy.db"),
    );
    let written = sessions(Sqlite::open(&path).expect("a store"));
    let session = written.session(&identity("closed-file"));
    ready(&session).await;
    let log = folder.path().join("plans.db-wal");
    let length = || std::fs::metadata(&log).map_or(0, |log| log.len());
    assert!(length() > 0, "the data is in the log");
    // A process that ends may leave these connections behind, in threads that it does not wait for.
    let left_behind = Arc::clone(written.store());
    let connection = rusqlite::Connection::open(&path).expect("a connection");
    let count = connection.query_row("SELECT count(*) FROM entry", [], |row| row.get(0));
    assert_eq!(count, Ok(2));
    drop(session);
    written.store().close().await.expect("closed");
    assert_eq!(length(), 0);
    std::fs::copy(&path, &copy).expect("copied");
    let copied = sessions(Sqlite::open_existing(&copy).expect("a store"));
    let session = copied.session(&identity("closed-file"));
    assert_eq!(session.seq().await, Ok(2));
    is_whole(&session).await;
    // When the store is used again, it is reopened.
    let again = left_behind.head(session.identity()).await.expect("a head");
    assert_eq!(again.seq, 2);
}

#[tokio::test]
async fn a_commit_is_written_even_if_its_future_is_dropped() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Sqlite::open(folder.path().join("plans.db")).expect("a store");
    let session = identity("who-leaves");
    let mut append = store.append(Commit {
        session: session.clone(),
        expected: 0,
        after: None,
        rows: vec![Row {
            seq: 1,
            body: "{}".to_owned(),
            digest: [7; 32],
        }],
        effects: Vec::new(),
        answers: Vec::new(),
        snapshot: None,
        due: NextDue::Unchanged,
    });
    // The first commit waits for other commits to join it.
    let is_waiting = poll_fn(|cx| Poll::Ready(append.as_mut().poll(cx).is_pending())).await;
    assert!(is_waiting);
    drop(append);
    let mut wake = store.wake();
    let written = async {
        while store.head(&session).await.expect("a head").seq == 0 {
            wake.up().await;
        }
    };
    let written = tokio::time::timeout(Duration::from_secs(30), written).await;
    assert_eq!(written, Ok(()), "the commit was not written");
}
