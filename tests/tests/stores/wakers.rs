//! Hosts that fire the timers of sessions on one server, and are killed: each timer fires exactly once.

use std::path::Path;

use plan_machine::gate::EventContext;
use plan_machine_sessions::store::Store;
use plan_machine_tests::soak::times;
use plan_machine_tests::ticking::{Ticking, at, sessions};

use crate::world::{connected, identity, server};

const SESSIONS: usize = 40;
const HOSTS: u64 = 4;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_timer_on_a_server_fires_once_although_hosts_that_fire_it_are_killed() {
    let store = tokio::task::spawn_blocking(|| server().database("wakers"));
    let store = store.await.expect("a database");
    let mut ticking = Ticking::start(&store, SESSIONS).await;
    let (rounds, mut kills) = (times(2), 0);
    for _ in 0..rounds {
        kills += tokio::task::block_in_place(|| {
            ticking.wake_and_kill(Path::new(env!("CARGO_BIN_EXE_session-host")), HOSTS)
        });
        ticking.check().await;
    }
    assert!(kills > 0, "no process was killed while it worked");
    let timers = rounds * SESSIONS;
    println!(
        "{HOSTS} hosts that fired timers were killed {kills} times: \
         each of {timers} timers fired exactly once"
    );
}

/// Sessions that were stored long ago. A thousand of them are due; the others are due in a year.
const LONG_AGO: &str = "
    INSERT INTO plan_machine.session (channel, conversation, seq)
    SELECT 'long-ago', 'session-' || number, 1 FROM generate_series(1, 20000) AS number;
    INSERT INTO plan_machine.due (session, at)
    SELECT id, CASE WHEN number <= 1000 THEN 1000 ELSE 4000000000000 END
    FROM plan_machine.session, substring(conversation FROM 9) AS text, CAST(text AS bigint) AS number;
    ANALYZE plan_machine.session, plan_machine.due";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn due_sessions_are_found_by_indexes_and_no_table_is_scanned() {
    // The server reports how it carries out each statement.
    let url = server().database("due_by_index");
    for setting in [
        "session_preload_libraries = 'auto_explain'",
        "auto_explain.log_min_duration = 0",
    ] {
        let set = format!("ALTER DATABASE due_by_index SET {setting}");
        server().sql("postgres", &set);
    }
    let store = connected(&url).await;
    server().sql("due_by_index", LONG_AGO);
    for most in [1, 100, 1000, 100_000] {
        let due = store.due(at(0), most).await.expect("a list");
        assert_eq!(due.len(), 1000.min(most as usize));
    }
    let log = server().log();
    let plans = log
        .split("Query Text:")
        .filter(|plan| plan.contains("AS due"));
    let mut found = 0;
    for plan in plans {
        found += 1;
        assert!(plan.contains("Index Scan using due_by_instant"), "{plan}");
        assert!(plan.contains("Index Scan using session_pkey"), "{plan}");
        assert!(!plan.contains("Seq Scan"), "{plan}");
    }
    assert_eq!(found, 4, "{log}");
}

/// Sessions that are due. The names of the two most urgent sessions cannot be read: one session has no row, and the
/// other one has a damaged name.
const NAMELESS_FIRST: &str = "
    INSERT INTO plan_machine.session (id, channel, conversation, seq)
    VALUES (2, 'stores', 'damaged' || chr(10), 1), (3, 'stores', 'sound-one', 1), (4, 'stores', 'sound-two', 1);
    INSERT INTO plan_machine.due (session, at) VALUES (1, 1000), (2, 2000), (3, 3000), (4, 4000)";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_without_valid_names_do_not_hide_due_sessions_behind_them() {
    let store = connected(&server().database("due_without_name")).await;
    server().sql("due_without_name", NAMELESS_FIRST);
    let sound = ["sound-one", "sound-two"].map(identity);
    for most in [0, 1, 2, 3] {
        let due = store.due(at(0), most).await.expect("a list");
        assert_eq!(due, sound[..sound.len().min(most as usize)], "{most}");
    }
}

/// Starts a timer in a session of a store, and deletes the session.
async fn begun_and_deleted(store: &str) {
    let sessions = sessions(store).await.expect("a store");
    let session = sessions.session(&identity("deleted-with-timer"));
    let around = EventContext::at(at(0));
    session.command("/begin", &around).await.expect("begun");
    let due = sessions.due(at(1), 10).await.expect("a list");
    assert_eq!(due, [session.identity().clone()]);
    let deleted = sessions.store().delete(session.identity()).await;
    assert_eq!(deleted, Ok(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_is_deleted_together_with_the_instant_of_its_next_timer() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    begun_and_deleted(&format!("sqlite:{}", path.display())).await;
    let file = rusqlite::Connection::open(&path).expect("a file");
    let rows = file.query_row("SELECT count(*) FROM due", [], |row| row.get::<_, i64>(0));
    assert_eq!(rows, Ok(0));
    begun_and_deleted(&server().database("deleted_with_timer")).await;
    let rows = server().sql(
        "deleted_with_timer",
        "SELECT count(*) FROM plan_machine.due",
    );
    assert_eq!(rows, "0");
}
