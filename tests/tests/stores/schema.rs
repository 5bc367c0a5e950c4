//! The tables of a `PostgreSQL` store.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use plan_machine_kernel::time::Instant;
use plan_machine_sessions::SessionError;
use plan_machine_sessions::store::{
    AppendOutcome, Commit, Head, NextDue, Place, Postgres, Row, Store, StoreErrorKind, StoredAnswer,
};

use crate::world::{by, command, connected, draft, identity, is_whole, ready, server, sessions};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixteen_hosts_that_start_at_once_create_the_tables_once() {
    let url = server().database("starts");
    let starts = (0..16).map(|_| {
        let url = url.clone();
        tokio::spawn(async move { Postgres::connect(&url).await })
    });
    for start in starts.collect::<Vec<_>>() {
        let store = start.await.expect("a start").expect("a store");
        assert_eq!(
            store.head(&identity("nobody-here")).await,
            Ok(Head::default())
        );
    }
    let formats = server().sql("starts", "SELECT format, ahead FROM plan_machine.format");
    assert_eq!(formats, "1|0");
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_left_alone() {
    let url = server().database("newer");
    drop(connected(&url).await);
    server().sql("newer", "UPDATE plan_machine.format SET format = 2");
    let error = Postgres::connect(&url).await.expect_err("a newer format");
    assert_eq!(error.kind, StoreErrorKind::Foreign);
    assert!(error.message.contains("format 2"), "{error}");
}

#[tokio::test]
async fn foreign_tables_are_left_unchanged() {
    let url = server().database("somebody_else");
    server().sql(
        "somebody_else",
        "CREATE SCHEMA plan_machine; CREATE TABLE plan_machine.session (theirs text)",
    );
    let error = Postgres::connect(&url).await.expect_err("other tables");
    assert_eq!(error.kind, StoreErrorKind::Foreign, "{error}");
    let columns = "SELECT string_agg(column_name, ' ') FROM information_schema.columns
                   WHERE table_schema = 'plan_machine'";
    assert_eq!(server().sql("somebody_else", columns), "theirs");
}

#[tokio::test]
async fn a_database_that_is_not_in_unicode_is_refused() {
    server().sql(
        "postgres",
        "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0",
    );
    let error = Postgres::connect(&server().url("latin"))
        .await
        .expect_err("another encoding");
    assert_eq!(error.kind, StoreErrorKind::Foreign);
    assert!(error.message.contains("LATIN1"), "{error}");
}

#[tokio::test]
async fn errors_have_the_right_kind() {
    for (url, kind) in [
        (
            server().url("no_such_database"),
            StoreErrorKind::Unreachable,
        ),
        (
            "postgres://postgres@127.0.0.1:1/nobody".to_owned(),
            StoreErrorKind::Unreachable,
        ),
        ("not an address".to_owned(), StoreErrorKind::Unreachable),
    ] {
        let error = Postgres::connect(&url).await.expect_err("no store");
        assert_eq!(error.kind, kind, "{error}");
    }
    let url = server().database("to_read");
    ready(&sessions(connected(&url).await).session(&identity("before-that"))).await;
    server().sql(
        "postgres",
        "ALTER DATABASE to_read SET default_transaction_read_only = on",
    );
    let sessions = sessions(connected(&url).await);
    let session = sessions.session(&identity("before-that"));
    assert_eq!(session.plans().await.expect("a plan").len(), 1);
    let error = session
        .command("/plan done", &by("ann"))
        .await
        .expect_err("nothing can be written");
    assert!(
        error
            .to_string()
            .starts_with("the store cannot be written to"),
        "{error}"
    );
}

/// Records the settings under which entries are stored, in another table.
const NOTED: &str = "
    CREATE TABLE public.noted (setting text);
    CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS '
      BEGIN
        INSERT INTO public.noted
          VALUES (current_setting(''synchronous_commit'') || '', '' || current_setting(''transaction_isolation''));
        RETURN NULL;
      END';
    CREATE TRIGGER note AFTER INSERT ON plan_machine.entry
      FOR EACH STATEMENT EXECUTE FUNCTION public.note()";

#[tokio::test]
async fn a_server_that_is_stricter_by_default_makes_no_difference() {
    let url = server().database("strict");
    server().sql(
        "postgres",
        "ALTER DATABASE strict SET default_transaction_isolation = 'serializable';
         ALTER DATABASE strict SET synchronous_commit = off",
    );
    let default = server().sql("strict", "SHOW synchronous_commit");
    assert_eq!(default, "off");
    let store = Arc::new(connected(&url).await);
    server().sql("strict", NOTED);
    if let Err(broken) = plan_machine_sessions::conformance::all(store).await {
        panic!("{broken}");
    }
    // Every commit waited for the disk and saw what others had committed.
    let noted = server().sql("strict", "SELECT DISTINCT setting FROM public.noted");
    assert_eq!(noted, "on, read committed");
}

/// Returns the address of a database that was copied from another server, and the position of its last entry before
/// that.
async fn moved(database: &str) -> (String, Place) {
    let url = server().database(database);
    let before = sessions(connected(&url).await);
    let session = before.session(&identity("moved-session"));
    ready(&session).await;
    let mut watch = before.watch(Place::START);
    let mut last = Place::START;
    for _ in 0..2 {
        last = watch.next().await.expect("an entry").place;
    }
    // This server appears to have processed fewer transactions than the server that wrote the data, as after a dump is
    // restored.
    server().sql(
        database,
        "UPDATE plan_machine.entry SET transaction = transaction + 1000000000",
    );
    (url, last)
}

/// Checks that the session of a database that was copied from another server continues after its last entry.
async fn continues(store: Postgres, last: Place) {
    let after = sessions(store);
    let session = after.session(&identity("moved-session"));
    draft(&session, "# Another").await.expect("a draft");
    command(&session, "/plan done")
        .await
        .expect("the plan ends");
    let mut watch = after.watch(Place::START);
    let mut places = Vec::new();
    for seq in 1..=4 {
        let seen = watch.next().await.expect("an entry");
        assert_eq!(seen.entry.seq, seq);
        places.push(seen.place);
    }
    assert!(places.is_sorted() && places[3] > last, "{places:?}");
    is_whole(&session).await;
}

#[tokio::test]
async fn a_database_that_moved_to_another_server_continues() {
    let (url, last) = moved("moved").await;
    continues(connected(&url).await, last).await;
    // The positions are moved ahead only once: the next start has nothing to do.
    drop(connected(&url).await);
    assert_eq!(server().sql("moved", MOVED_AHEAD), "1");
}

#[tokio::test]
async fn a_database_that_moved_continues_for_a_program_that_creates_no_store() {
    let (url, last) = moved("moved_and_existing").await;
    let store = Postgres::connect_existing(&url).await.expect("a store");
    continues(store, last).await;
    assert_eq!(server().sql("moved_and_existing", MOVED_AHEAD), "1");
}

#[tokio::test]
async fn a_database_that_moved_and_cannot_be_changed_is_reported_with_what_to_do() {
    let (url, _) = moved("moved_to_read").await;
    server().sql(
        "postgres",
        "ALTER DATABASE moved_to_read SET default_transaction_read_only = on",
    );
    for opened in [
        Postgres::connect_existing(&url).await,
        Postgres::connect(&url).await,
    ] {
        let error = opened.expect_err("nothing can be changed");
        assert_eq!(error.kind, StoreErrorKind::ReadOnly, "{error}");
        let expected = "the database was copied from another server";
        assert!(error.message.starts_with(expected), "{error}");
        let expected = "Open the store once as a user who can change this table";
        assert!(error.message.ends_with(expected), "{error}");
    }
}

/// Counts rows of a table that has only one row: the count is 1 if the positions were moved ahead.
const MOVED_AHEAD: &str = "SELECT count(*) FROM plan_machine.format WHERE ahead > 1000000000";

#[tokio::test]
async fn a_database_of_an_earlier_version_that_moved_is_brought_up_to_date_in_one_start() {
    let url = server().database("moved_and_old");
    ready(&sessions(connected(&url).await).session(&identity("moved-session"))).await;
    server().sql(
        "moved_and_old",
        "UPDATE plan_machine.entry SET transaction = transaction + 1000000000;
         DROP TABLE plan_machine.due",
    );
    let store = connected(&url).await;
    assert_eq!(store.due(Instant::LAST, 10).await, Ok(Vec::new()));
    assert_eq!(server().sql("moved_and_old", MOVED_AHEAD), "1");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_session_that_is_deleted_while_others_write_to_it_leaves_nothing_behind() {
    let url = server().database("deleted");
    let who = identity("comes-and-goes");
    let store = connected(&url).await;
    let deleted = Arc::new(AtomicU64::new(0));
    let writers = [connected(&url).await, connected(&url).await].map(|store| {
        let (who, deleted) = (who.clone(), Arc::clone(&deleted));
        tokio::spawn(async move {
            let (mut number, mut stored) = (0, 0);
            // Even on a busy computer, the session is deleted while a writer uses it.
            while number < 200 || deleted.load(Ordering::Relaxed) == 0 {
                number += 1;
                assert!(number < 100_000, "nothing is deleted");
                let seq = store.head(&who).await.expect("a number").seq + 1;
                let row = Row {
                    seq,
                    body: number.to_string(),
                    digest: [0; 32],
                };
                let answer = StoredAnswer {
                    seq,
                    call_id: number.to_string(),
                    body: String::new(),
                    digest: [0; 32],
                };
                // It does not matter for this test whether another process is faster.
                let appended = store.append(Commit {
                    session: who.clone(),
                    expected: seq - 1,
                    after: None,
                    rows: vec![row.clone()],
                    effects: vec![(seq, 0)],
                    answers: vec![answer],
                    snapshot: Some(row),
                    due: NextDue::Unchanged,
                });
                let outcome = appended.await.expect("an answer");
                stored += u32::from(outcome == AppendOutcome::Stored);
            }
            stored
        })
    });
    while !writers.iter().all(tokio::task::JoinHandle::is_finished) {
        let was_there = store.delete(&who).await.expect("an answer");
        deleted.fetch_add(u64::from(was_there), Ordering::Relaxed);
    }
    let mut stored = 0;
    for writer in writers {
        stored += writer.await.expect("a writer");
    }
    let deleted = deleted.load(Ordering::Relaxed);
    assert!(
        stored > 0 && deleted > 0,
        "{stored} entries were stored, {deleted} sessions were deleted"
    );
    store.delete(&who).await.expect("an answer");
    for table in ["session", "entry", "effect", "answer", "snapshot"] {
        let count = format!("SELECT count(*) FROM plan_machine.{table}");
        assert_eq!(server().sql("deleted", &count), "0", "{table}");
    }
}

#[tokio::test]
async fn a_read_only_connection_creates_nothing() {
    let url = crate::world::server().database("only_looks");
    let error = Postgres::connect_existing(&url)
        .await
        .expect_err("there are no tables");
    assert_eq!(error.kind, StoreErrorKind::Foreign);
    let error = Postgres::connect_existing(&url)
        .await
        .expect_err("no tables were created");
    assert_eq!(error.kind, StoreErrorKind::Foreign);
    drop(Postgres::connect(&url).await.expect("a new store"));
    assert!(Postgres::connect_existing(&url).await.is_ok());
}

#[tokio::test]
async fn a_connection_adds_the_table_that_an_existing_database_of_an_earlier_version_lacks() {
    let url = server().database("without_due");
    drop(connected(&url).await);
    server().sql("without_due", "DROP TABLE plan_machine.due");
    let store = Postgres::connect_existing(&url).await.expect("a store");
    assert_eq!(store.due(Instant::LAST, 10).await, Ok(Vec::new()));
    assert_eq!(store.check().await, Ok(Vec::new()));
    let session = identity("goes-on-now");
    ready(&sessions(store).session(&session)).await;
}

#[tokio::test]
async fn a_missing_table_that_cannot_be_added_is_reported_with_what_to_do() {
    let url = server().database("cannot_add");
    drop(connected(&url).await);
    server().sql("cannot_add", "DROP TABLE plan_machine.due");
    server().sql(
        "postgres",
        "ALTER DATABASE cannot_add SET default_transaction_read_only = on",
    );
    for opened in [
        Postgres::connect_existing(&url).await,
        Postgres::connect(&url).await,
    ] {
        let error = opened.expect_err("nothing can be created");
        assert_eq!(error.kind, StoreErrorKind::ReadOnly, "{error}");
        let expected = "the table `plan_machine.due` is missing";
        assert!(error.message.starts_with(expected), "{error}");
        let expected = "Open the store once as the user who owns the other tables";
        assert!(error.message.ends_with(expected), "{error}");
    }
}

#[tokio::test]
async fn rows_that_belong_to_nothing_are_counted_in_postgres() {
    let url = server().database("belongs");
    let opened = sessions(connected(&url).await);
    for name in ["a-whole-session", "a-lost-session"] {
        let session = opened.session(&identity(name));
        ready(&session).await;
        draft(&session, "# Plan").await.expect("drafted");
    }
    assert_eq!(opened.store().check().await, Ok(Vec::new()));
    server().sql(
        "belongs",
        "DELETE FROM plan_machine.session WHERE conversation = 'a-lost-session';
         UPDATE plan_machine.effect SET seq = seq + 10 WHERE session IN (SELECT id FROM plan_machine.session)",
    );
    let problems = opened.store().check().await.expect("checked");
    assert_eq!(problems[0], "3 entries do not belong to any session");
    let last = problems.last().expect("problems");
    assert!(last.ends_with("do not belong to any entry"), "{problems:?}");
}

#[tokio::test]
async fn postgres_reports_an_effect_whose_entry_is_missing() {
    let url = server().database("missing");
    let opened = sessions(connected(&url).await);
    let [whole, lost] =
        ["a-whole-session", "a-lost-entry"].map(|name| opened.session(&identity(name)));
    for session in [&whole, &lost] {
        ready(session).await;
    }
    let delivered = whole.effects().await.expect("effects");
    server().sql(
        "missing",
        "UPDATE plan_machine.effect SET seq = seq + 10 WHERE session IN
           (SELECT id FROM plan_machine.session WHERE conversation = 'a-lost-entry')",
    );
    let error = lost.effects().await.expect_err("its entry is missing");
    let SessionError::Store(error) = error else {
        panic!("{error:?}");
    };
    assert_eq!(error.kind, StoreErrorKind::Damaged);
    assert_eq!(
        error.message,
        "entry 12, which has a pending effect, is missing"
    );
    assert_eq!(whole.effects().await, Ok(delivered));
    let problems = opened.store().check().await;
    assert_eq!(
        problems,
        Ok(vec![
            "1 pending effect does not belong to any entry".to_owned()
        ])
    );
}
