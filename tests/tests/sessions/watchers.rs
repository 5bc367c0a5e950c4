//! Watching: each entry once, in order, from any place on.

use plan_machine::store::Place;

use super::{around, draft, identity, in_memory, on_disk, ready};

#[tokio::test]
async fn a_watcher_of_a_session_sees_what_was_and_what_comes() {
    let sessions = in_memory();
    let session = sessions.session(&identity("watched-one"));
    ready(&session).await;
    let mut watch = session.watch(1);
    assert_eq!(watch.next().await.expect("an entry").entry.seq, 2);
    let writer = session.clone();
    let written = tokio::spawn(async move { writer.decide(&[draft("# v2")], &around()).await });
    let seen = watch.next().await.expect("an entry");
    assert_eq!(
        (seen.entry.seq, seen.entry.event()),
        (3, "plan_set_content")
    );
    written.await.expect("no panic").expect("drafted");
}

#[tokio::test]
async fn a_watcher_of_all_goes_on_from_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let sessions = on_disk(&path);
    for name in ["watched-a", "watched-b", "watched-c"] {
        ready(&sessions.session(&identity(name))).await;
    }
    let mut watch = sessions.watch(Place::START);
    let mut places = Vec::new();
    for _ in 0..4 {
        places.push(watch.next().await.expect("an entry").place);
    }
    // Written down and read again, in another process.
    let place: Place = places[3].to_string().parse().expect("a place");
    let mut watch = on_disk(&path).watch(place);
    let seen = watch.next().await.expect("an entry");
    assert_eq!((seen.session, seen.entry.seq), (identity("watched-c"), 1));
    assert!(places.is_sorted() && seen.place > places[3]);
}

#[tokio::test]
async fn a_watcher_sees_what_another_process_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let here = on_disk(&path);
    let end = here.end().await.expect("a place");
    let mut watch = here.watch(end);
    let there = on_disk(&path).session(&identity("written-elsewhere"));
    let written = tokio::spawn(async move { ready(&there).await });
    for seq in 1..=2 {
        assert_eq!(watch.next().await.expect("an entry").entry.seq, seq);
    }
    written.await.expect("no panic");
}
