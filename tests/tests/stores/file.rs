//! The file of an `SQLite` store, and the processes that write to it.

use std::future::poll_fn;
use std::sync::{Arc, Barrier};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use plan_machine_sessions::store::{Commit, NextDue, Row, Sqlite, Store, StoreErrorKind};

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

#[cfg(unix)]
#[tokio::test]
async fn a_link_to_a_file_that_does_not_exist_leads_to_a_private_file() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let [real, link, first] =
        ["there/real.db", "there/link.db", "first.db"].map(|name| folder.path().join(name));
    std::fs::create_dir(folder.path().join("there")).expect("a folder");
    symlink("real.db", &link).expect("a link");
    symlink("there/link.db", &first).expect("a link");
    let opened = Sqlite::open(&first).expect("a store");
    let mode = std::fs::metadata(&real)
        .expect("the file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let real = real.canonicalize().expect("the file");
    assert_eq!(opened.path(), real);
    ready(&sessions(opened).session(&identity("linked-file"))).await;
    for path in [&first, &link] {
        let again = Sqlite::open_existing(path).expect("the same store");
        let head = again.head(&identity("linked-file")).await.expect("a head");
        assert_eq!((head.seq, again.path()), (2, real.as_path()));
    }
    symlink("circle.db", folder.path().join("circle.db")).expect("a link");
    let circle = Sqlite::open(folder.path().join("circle.db")).expect_err("no file");
    assert!(circle.to_string().contains("too many levels"), "{circle}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_with_a_second_name_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let [path, other] = ["plans.db", "other.db"].map(|name| folder.path().join(name));
    let session = sessions(Sqlite::open(&path).expect("a store")).session(&identity("two-names"));
    ready(&session).await;
    std::fs::hard_link(&path, &other).expect("a second name");
    for name in [&path, &other] {
        for open in [Sqlite::open, Sqlite::open_briefly, Sqlite::open_existing] {
            let refused = open(name).expect_err("two names");
            assert_eq!(refused.kind, StoreErrorKind::Foreign);
            assert!(refused.to_string().contains("has 2 names"), "{refused}");
        }
    }
    std::fs::remove_file(&other).expect("removed");
    let again = Sqlite::open(&path).expect("a store with one name");
    let head = again.head(session.identity()).await.expect("a head");
    assert_eq!(head.seq, 2);
}

#[test]
fn a_path_is_never_read_as_a_uri() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    for uri in [
        format!("file:{}?mode=memory", path.display()),
        "file::memory:".to_owned(),
        ":memory:".to_owned(),
        String::new(),
    ] {
        let refused = Sqlite::open(&uri).expect_err("not a path");
        assert_eq!(refused.kind, StoreErrorKind::Foreign, "{refused}");
        assert!(
            refused.to_string().contains("is not the path of a file"),
            "{refused}"
        );
    }
    let named = folder.path().join("file:plans.db?mode=memory");
    drop(Sqlite::open(&named).expect("a store"));
    assert!(named.exists(), "a question mark is part of the name");
}
