//! Damaged rows: the row of a session, or the number of an entry. The damage affects only that session, and a person
//! can always restart the session; its old entries are kept.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use plan_machine_sessions::store::{Place, Sqlite, Store};
use plan_machine_sessions::{SessionError, SessionIdentity, Sessions};
use rusqlite::Connection;

use crate::world::{by, command, connected, draft, identity, machines, ready, server, sessions};

const DAMAGED: &str = "damaged-row";
const SOUND: &str = "sound-row";

/// Statements that damage the session with the number 1, in both kinds of databases. The table names have no schema.
const DAMAGES: [&str; 11] = [
    "UPDATE session SET seq = -5 WHERE id = 1",
    "UPDATE session SET seq = 0 WHERE id = 1",
    "UPDATE session SET seq = 1 WHERE id = 1",
    "UPDATE session SET seq = 9223372036854775807 WHERE id = 1",
    "UPDATE session SET seq = 2147483650 WHERE id = 1",
    "UPDATE entry SET seq = 9223372036854775807 WHERE session = 1 AND seq = 2",
    "UPDATE entry SET seq = -2 WHERE session = 1 AND seq = 2",
    "UPDATE entry SET seq = 1000 WHERE session = 1 AND seq = 2",
    "UPDATE session SET conversation = '' WHERE id = 1",
    "UPDATE session SET conversation = 'damaged' || chr(10) WHERE id = 1",
    "DELETE FROM session WHERE id = 1",
];

/// Damage that only an `SQLite` file can contain.
const DAMAGES_OF_FILES: [&str; 5] = [
    "UPDATE session SET effects = -5 WHERE id = 1",
    "UPDATE session SET head = x'00' WHERE id = 1",
    "UPDATE session SET channel = CAST(x'ff' AS TEXT) WHERE id = 1",
    "UPDATE session SET channel = 'a:b' WHERE id = 1",
    "UPDATE entry SET digest = x'00', body = CAST(x'ff' AS TEXT) WHERE session = 1 AND seq = 2",
];

/// Writes two sessions with three entries each.
async fn written(store: Arc<dyn Store>) {
    let written = Sessions::new(store, machines());
    for name in [DAMAGED, SOUND] {
        let session = written.session(&identity(name));
        ready(&session).await;
        draft(&session, "# Another plan").await.expect("drafted");
    }
    written.store().close().await.expect("closed");
}

/// Waits until a watcher of all sessions has read the three entries of a session.
async fn watched(opened: &Sessions, sound: &SessionIdentity) {
    let mut watch = opened.watch(Place::START);
    let mut seen = 0;
    while seen < 3 {
        let next = tokio::time::timeout(Duration::from_secs(30), watch.next()).await;
        match next.expect("entries of the sound session") {
            Ok(entry) => seen += u32::from(entry.session == *sound),
            Err(error) => assert!(error.is_damage(), "{error}"),
        }
    }
}

/// Checks a store whose first session is damaged: only this session is refused, and it can be restarted.
async fn stays_its_own(store: Arc<dyn Store>, damage: &str) {
    let opened = Sessions::new(Arc::clone(&store), machines());
    let (damaged, sound) = (
        opened.session(&identity(DAMAGED)),
        opened.session(&identity(SOUND)),
    );
    let refused = damaged.command("/plan on", &by("ann")).await;
    let refused = refused.expect_err("the session is damaged");
    assert!(refused.is_damage(), "{damage}: {refused:?}");
    assert!(damaged.plans().await.is_err(), "{damage}");

    let listed = opened.list(None, 10).await.expect("a list");
    let is_sound = listed.iter().any(|one| one.session == *sound.identity());
    assert!(is_sound, "{damage}: {listed:?}");
    let unlisted = store.unlisted().await.expect("a list");
    assert_eq!(listed.len() + unlisted.len(), 2, "{damage}: {unlisted:?}");
    assert!(opened.with_effects(10).await.is_ok(), "{damage}");
    watched(&opened, sound.identity()).await;
    draft(&sound, "# goes on").await.expect("drafted");

    let seq = damaged.restart("a damaged row", &by("ann")).await;
    let seq = seq.unwrap_or_else(|error| panic!("{damage}: {error}"));
    assert!(seq > 3, "{damage}: {seq}");
    let kept = store.history(damaged.identity(), 0, 100).await;
    assert_eq!(kept.expect("entries").len(), 4, "{damage}");
    assert_eq!(damaged.plans().await.expect("plans").len(), 0, "{damage}");
    let begun = command(&damaged, "/plan on").await;
    assert_eq!(begun, Ok(seq + 1), "{damage}");
    assert_eq!(store.unlisted().await, Ok(Vec::new()), "{damage}");
    assert_eq!(store.check().await, Ok(Vec::new()), "{damage}");
    store.close().await.expect("closed");
}

fn execute(path: &Path, statements: &str) {
    let file = Connection::open(path).expect("the file");
    file.execute_batch(statements).expect("changed");
}

async fn file() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    written(Arc::new(Sqlite::open(&path).expect("a store"))).await;
    (folder, path)
}

#[tokio::test]
async fn a_damaged_row_of_a_file_affects_only_its_session_which_can_start_over() {
    for damage in DAMAGES.iter().chain(&DAMAGES_OF_FILES) {
        let (_folder, path) = file().await;
        execute(&path, &damage.replace("chr(", "char("));
        let store = Arc::new(Sqlite::open_existing(&path).expect("a store"));
        stays_its_own(store, damage).await;
    }
}

#[tokio::test]
async fn a_damaged_row_of_postgres_affects_only_its_session_which_can_start_over() {
    for (number, damage) in DAMAGES.iter().enumerate() {
        let database = format!("rows_{number}");
        let url = server().database(&database);
        written(Arc::new(connected(&url).await)).await;
        let damage = format!("SET search_path = plan_machine; {damage}");
        server().sql(&database, &damage);
        stays_its_own(Arc::new(connected(&url).await), &damage).await;
    }
}

#[tokio::test]
async fn the_entries_of_a_session_without_a_row_can_be_read_and_deleted() {
    let (_folder, path) = file().await;
    execute(&path, "DELETE FROM session WHERE id = 1");
    let store = Sqlite::open_existing(&path).expect("a store");
    let lost = identity(DAMAGED);
    let entries = store.history(&lost, 0, 10).await.expect("entries");
    assert_eq!(entries.len(), 3);
    let unlisted = store.unlisted().await.expect("a list");
    assert_eq!(unlisted[0].entries, 3, "{unlisted:?}");
    assert_eq!(store.delete(&lost).await, Ok(true));
    assert_eq!(store.check().await, Ok(Vec::new()));
    let opened = sessions(store);
    command(&opened.session(&lost), "/plan on")
        .await
        .expect("a deleted session starts again");
}

#[tokio::test]
async fn a_row_that_is_lost_while_its_session_is_in_use_does_not_start_the_session_over() {
    let (_folder, path) = file().await;
    let opened = sessions(Sqlite::open_existing(&path).expect("a store"));
    // A new session makes the store look for lost sessions, when there are none yet.
    command(&opened.session(&identity("a-new-session")), "/plan on")
        .await
        .expect("begun");
    let session = opened.session(&identity(DAMAGED));
    session.plans().await.expect("plans");
    execute(&path, "DELETE FROM session WHERE id = 1");
    let refused = draft(&session, "# lost").await;
    assert!(
        refused.as_ref().is_err_and(SessionError::is_damage),
        "{refused:?}"
    );
    let refused = session.plans().await;
    assert!(
        refused.as_ref().is_err_and(SessionError::is_damage),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_flipped_byte_in_the_name_of_a_row_can_be_repaired() {
    let (_folder, path) = file().await;
    let bytes = std::fs::read(&path).expect("the file");
    let name = DAMAGED.as_bytes();
    let places = (0..bytes.len() - name.len()).filter(|at| bytes[*at..].starts_with(name));
    let mut refused = 0;
    for at in places {
        let mut bytes = bytes.clone();
        bytes[at] = b'x';
        std::fs::write(&path, &bytes).expect("written");
        let opened = sessions(Sqlite::open_existing(&path).expect("a store"));
        let session = opened.session(&identity(DAMAGED));
        if session.plans().await.is_err() {
            refused += 1;
            let seq = session.restart("a flipped byte", &by("ann")).await;
            assert_eq!(seq, Ok(4), "byte {at}");
            assert_eq!(opened.store().check().await, Ok(Vec::new()), "byte {at}");
        }
        opened.store().close().await.expect("closed");
    }
    assert!(refused > 0, "the row itself was never changed");
}
