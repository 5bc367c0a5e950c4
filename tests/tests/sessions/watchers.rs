//! Watchers return each entry once, in order, starting at any position.

use std::time::Duration;

use plan_machine_sessions::SessionError;
use plan_machine_sessions::store::Place;
use plan_machine_sessions::watch::{WatchedEntry, Watcher};
use tokio::time::timeout;

use super::{around, draft, identity, in_memory, on_disk, ready};

/// The maximum time that a watcher waits for an entry. A test that passes never reaches this limit.
const LIMIT: Duration = Duration::from_secs(120);

/// Returns the next entry.
async fn next(watch: &mut Watcher) -> Result<WatchedEntry, SessionError> {
    let next = timeout(LIMIT, watch.next()).await;
    next.expect("an entry in time")
}

#[tokio::test]
async fn a_watcher_of_a_session_sees_past_and_future_entries() {
    let sessions = in_memory();
    let session = sessions.session(&identity("watched-one"));
    ready(&session).await;
    let mut watch = session.watch(1);
    assert_eq!(next(&mut watch).await.expect("an entry").entry.seq, 2);
    let writer = session.clone();
    let written = tokio::spawn(async move { writer.decide(&[draft("# v2")], &around()).await });
    let seen = next(&mut watch).await.expect("an entry");
    assert_eq!(
        (seen.entry.seq, seen.entry.event()),
        (3, "plan_set_content")
    );
    written
        .await
        .expect("the task does not panic")
        .expect("the draft is stored");
}

#[tokio::test]
async fn a_watcher_of_all_sessions_continues_at_its_position() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let sessions = on_disk(&path);
    for name in ["watched-a", "watched-b", "watched-c"] {
        ready(&sessions.session(&identity(name))).await;
    }
    let mut watch = sessions.watch(Place::START);
    let mut places = Vec::new();
    for _ in 0..4 {
        places.push(next(&mut watch).await.expect("an entry").place);
    }
    // The position is formatted as a string and parsed again, as if it had been passed to another process.
    let place: Place = places[3].to_string().parse().expect("a valid position");
    let mut watch = on_disk(&path).watch(place);
    let seen = next(&mut watch).await.expect("an entry");
    assert_eq!((seen.session, seen.entry.seq), (identity("watched-c"), 1));
    assert!(places.is_sorted() && seen.place > places[3]);
}

#[tokio::test]
async fn a_watcher_sees_what_another_process_writes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let here = on_disk(&path);
    let end = here.end().await.expect("the end position");
    let mut watch = here.watch(end);
    let there = on_disk(&path).session(&identity("written-elsewhere"));
    let written = tokio::spawn(async move { ready(&there).await });
    for seq in 1..=2 {
        assert_eq!(next(&mut watch).await.expect("an entry").entry.seq, seq);
    }
    written.await.expect("the task does not panic");
}

#[tokio::test]
async fn a_watcher_reports_an_altered_entry_and_continues() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let sessions = on_disk(&path);
    let (altered, whole) = (identity("watched-altered"), identity("watched-whole"));
    ready(&sessions.session(&altered)).await;
    ready(&sessions.session(&whole)).await;
    let file = rusqlite::Connection::open(&path).expect("the file");
    let alter = "UPDATE entry SET body = replace(body, 'plan_on', 'plan_no') WHERE session = 1";
    assert!(file.execute(alter, []).expect("the entry is altered") > 0);

    let mut all = sessions.watch(Place::START);
    let mut one = sessions.session(&altered).watch(0);
    for watch in [&mut all, &mut one] {
        let error = next(watch).await.expect_err("the entry was altered");
        let told = error.to_string();
        assert!(
            told.contains("watched-altered") && told.contains("entry 1"),
            "{told}"
        );
    }
    // The second entry can be read, because the first row still has the digest of the original text.
    assert_eq!(next(&mut one).await.expect("an entry").entry.seq, 2);
    let mut seen = Vec::new();
    for _ in 0..3 {
        let one = next(&mut all).await.expect("an entry");
        seen.push((one.session, one.entry.seq));
    }
    assert_eq!(seen, [(altered, 2), (whole.clone(), 1), (whole, 2)]);
}

#[tokio::test]
async fn a_watcher_continues_in_a_session_that_was_deleted_and_started_over() {
    let sessions = in_memory();
    let session = sessions.session(&identity("watched-anew"));
    ready(&session).await;
    let mut watch = session.watch(0);
    for seq in 1..=2 {
        assert_eq!(next(&mut watch).await.expect("an entry").entry.seq, seq);
    }
    assert!(
        sessions
            .delete(&identity("watched-anew"))
            .await
            .expect("the session is deleted")
    );
    ready(&session).await;
    let drafted = session.decide(&[draft("# v2")], &around()).await;
    drafted.expect("the draft is stored");
    assert_eq!(next(&mut watch).await.expect("an entry").entry.seq, 3);
}
