//! Damage to a store: the damaged session returns a specific error and does not allow anything, nothing is overwritten,
//! and other sessions work.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use plan_machine::gate::{Gate, MachineSet};
use plan_machine::interpret::InterpretedMachine;
use plan_machine_sessions::journal::Chain;
use plan_machine_sessions::store::{Sqlite, StoreErrorKind};
use plan_machine_sessions::{SessionError, Sessions, UnreadableReason};
use rusqlite::Connection;

use super::{
    around, changed, draft, identity, machine_set, on_disk, plan_mode, ready, states, work_by_plan,
};

fn note(draft: &str) -> MachineSet {
    let spec = format!(
        "machine: Note
data: {{ title: string? }}
commands: {{ begin: /note, end: /done }}
states:
  none: {{ on: {{ begin: {{ to: DRAFT, set: {{ title: \"x\" }} }} }} }}
  DRAFT: {{ {draft}on: {{ end: {{ to: DONE, next: none }} }} }}
  DONE: {{ final: true }}
"
    );
    let machine = InterpretedMachine::read("note.yaml", &spec).expect("a valid spec");
    Gate::builder()
        .with(machine)
        .join()
        .expect("a valid set of machines")
}

/// Returns the rows of all tables.
fn contents(path: &Path) -> Vec<String> {
    let file = Connection::open(path).expect("the file");
    let mut all = Vec::new();
    for table in ["session", "entry", "snapshot", "answer", "effect"] {
        let mut select = file
            .prepare(&format!("SELECT * FROM {table}"))
            .expect("a table");
        let columns = select.column_count();
        let rows = select.query_map([], |row| {
            // A damaged text may not be UTF-8.
            let values = (0..columns).map(|at| row.get_ref(at));
            Ok(format!(
                "{table} {:?}",
                values.collect::<Result<Vec<_>, _>>()?
            ))
        });
        all.extend(
            rows.expect("the stored rows")
                .map(|row| row.expect("a row")),
        );
    }
    all
}

/// Damages a file that contains two sessions. Checks that the first session cannot be read and that the second one
/// works, and returns the reason why the first one cannot be read.
async fn damaged(damage: &str, entries: u32) -> UnreadableReason {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let sessions = on_disk(&path);
    let (first, second) = (identity("damaged-session"), identity("healthy-session"));
    ready(&sessions.session(&first)).await;
    for number in 0..entries {
        let call = draft(&format!("# v{number}"));
        sessions
            .session(&first)
            .decide(&[call], &around())
            .await
            .expect("the draft is stored");
    }
    ready(&sessions.session(&second)).await;
    drop(sessions);
    Connection::open(&path)
        .expect("the file")
        .execute_batch(damage)
        .expect("the file is damaged");
    let before = contents(&path);

    let sessions = on_disk(&path);
    let session = sessions.session(&first);
    let error = session
        .command("/plan done", &around())
        .await
        .expect_err("the session is damaged");
    let again = session
        .plans()
        .await
        .expect_err("the session is still damaged");
    assert_eq!(error, again);
    assert_eq!(contents(&path), before, "the stored data is unchanged");
    let other = sessions.session(&second);
    other
        .decide(&[draft("# on")], &around())
        .await
        .expect("the other session works");
    assert_eq!(states(&other).await, ["READY"]);
    match error {
        SessionError::Unreadable { session, why } if session == first => why,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_entry_that_was_altered_is_found() {
    let damage =
        "UPDATE entry SET body = replace(body, '# v1', '# v9') WHERE session = 1 AND seq = 2";
    let why = damaged(damage, 0).await;
    assert!(
        matches!(why, UnreadableReason::Altered { seq: 2, .. }),
        "{why}"
    );
}

#[tokio::test]
async fn an_entry_that_is_missing_is_found() {
    let why = damaged("DELETE FROM entry WHERE session = 1 AND seq = 1", 0).await;
    assert_eq!(why, UnreadableReason::Missing { seq: 1 });
}

#[tokio::test]
async fn an_entry_of_another_session_is_found() {
    let damage = "
        DELETE FROM entry WHERE session = 1 AND seq = 2;
        INSERT INTO entry(session, seq, body, digest) SELECT 1, seq, body, digest FROM entry WHERE session = 2 AND seq = 2";
    let why = damaged(damage, 0).await;
    assert!(
        matches!(why, UnreadableReason::Altered { seq: 2, .. }),
        "{why}"
    );
}

#[tokio::test]
async fn a_snapshot_that_was_altered_is_found() {
    let damage = "UPDATE snapshot SET body = replace(body, 'READY', 'EXECUTING') WHERE session = 1";
    let why = damaged(damage, 130).await;
    assert!(
        matches!(why, UnreadableReason::Altered { seq: 128, .. }),
        "{why}"
    );
}

#[tokio::test]
async fn a_missing_entry_after_the_snapshot_is_found() {
    let why = damaged("DELETE FROM entry WHERE session = 1 AND seq = 129", 130).await;
    assert_eq!(why, UnreadableReason::Missing { seq: 129 });
}

#[tokio::test]
async fn a_snapshot_of_an_entry_that_is_missing_is_found() {
    let why = damaged("DELETE FROM entry WHERE session = 1 AND seq = 128", 130).await;
    assert_eq!(why, UnreadableReason::Missing { seq: 128 });
}

#[tokio::test]
async fn an_entry_or_a_snapshot_that_is_not_text_is_named() {
    let damage = "UPDATE entry SET body = CAST(x'7b22ff22' AS TEXT) WHERE session = 1 AND seq = 2";
    let why = damaged(damage, 0).await;
    assert!(
        matches!(why, UnreadableReason::Altered { seq: 2, .. }),
        "{why}"
    );
    let damage = "UPDATE snapshot SET body = CAST(x'7b22ff22' AS TEXT) WHERE session = 1";
    let why = damaged(damage, 130).await;
    assert!(
        matches!(why, UnreadableReason::Altered { seq: 128, .. }),
        "{why}"
    );
}

#[tokio::test]
async fn a_truncated_file_is_reported_and_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let sessions = on_disk(&path);
    let session = sessions.session(&identity("truncated-file"));
    ready(&session).await;
    for number in 0..200 {
        session
            .decide(
                &[draft(&format!("# {number} {}", "x".repeat(2000)))],
                &around(),
            )
            .await
            .expect("the draft is stored");
    }
    drop((sessions, session));
    let file = Connection::open(&path).expect("the file");
    file.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        .expect("the log is copied into the file");
    drop(file);
    let whole = fs::read(&path).expect("the file");
    for part in [whole.len() / 2, 4096, 100, 10] {
        fs::write(&path, &whole[..part]).expect("the file is truncated");
        let session = Sqlite::open(&path).map(|store| {
            Sessions::new(Arc::new(store), machine_set()).session(&identity("truncated-file"))
        });
        let error = match session {
            Err(error) => SessionError::Store(error),
            Ok(session) => session
                .command("/plan done", &around())
                .await
                .expect_err("the session is damaged"),
        };
        let SessionError::Store(error) = error else {
            panic!("{error}")
        };
        let kinds = [
            StoreErrorKind::Damaged,
            StoreErrorKind::Foreign,
            StoreErrorKind::Failed,
        ];
        assert!(kinds.contains(&error.kind), "{part}: {error}");
        assert_eq!(
            fs::read(&path).expect("the file"),
            &whole[..part],
            "the stored data is unchanged"
        );
    }
}

#[tokio::test]
async fn a_foreign_file_is_reported_and_left_unchanged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = folder.path().join("notes.txt");
    fs::write(
        &text,
        "not a database at all, but long enough to be one: ".repeat(20),
    )
    .expect("a file");
    let error = Sqlite::open(&text).expect_err("the file is not a database");
    assert_eq!(error.kind, StoreErrorKind::Foreign, "{error}");
    let other = folder.path().join("other.db");
    Connection::open(&other)
        .expect("a file")
        .execute_batch("CREATE TABLE mine(x)")
        .expect("a table");
    let before = fs::read(&other).expect("the file");
    let error = Sqlite::open(&other).expect_err("the database belongs to another program");
    assert_eq!(error.kind, StoreErrorKind::Foreign, "{error}");
    assert_eq!(fs::read(&other).expect("the file"), before);
    let newer = folder.path().join("newer.db");
    drop(Sqlite::open(&newer).expect("a store"));
    Connection::open(&newer)
        .expect("a file")
        .execute_batch("PRAGMA user_version = 1000")
        .expect("the format number is changed");
    let error = Sqlite::open(&newer).expect_err("the file has a newer format");
    assert!(
        error.kind == StoreErrorKind::Foreign && error.message.contains("newer"),
        "{error}"
    );
}

/// Returns the states of the plans that a program with these machines sees, or the reason why it cannot read the
/// session.
async fn seen_by(path: &Path, machines: MachineSet) -> Result<Vec<String>, UnreadableReason> {
    let store = Arc::new(Sqlite::open(path).expect("a store"));
    let session = Sessions::new(store, machines).session(&identity("other-machines"));
    match session.plans().await {
        Ok(plans) => Ok(plans
            .into_iter()
            .map(|held| held.plan.state.into_owned())
            .collect()),
        Err(SessionError::Unreadable { why, .. }) => Err(why),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn machines_that_do_not_match_the_stored_data_are_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    ready(&on_disk(&path).session(&identity("other-machines"))).await;
    let before = contents(&path);

    let unknown = Gate::builder()
        .with(plan_mode::Machine)
        .join()
        .expect("a valid set of machines");
    let why = seen_by(&path, unknown)
        .await
        .expect_err("the program does not have the machine");
    assert_eq!(
        why,
        UnreadableReason::UnknownMachine("WorkByPlan".to_owned())
    );
    let parked = Gate::builder()
        .with(plan_mode::Machine)
        .parks("WorkByPlan")
        .join()
        .expect("a valid set of machines");
    assert_eq!(seen_by(&path, parked).await, Ok(Vec::new()));

    let shorter = changed(
        "  markdown: string?",
        "  markdown: { type: string?, max: 3 }",
    );
    assert_eq!(
        seen_by(&path, shorter).await,
        Ok(Vec::new()),
        "the damaged plan is not listed"
    );

    assert_eq!(contents(&path), before, "the stored data is unchanged");
    assert_eq!(
        seen_by(&path, machine_set()).await,
        Ok(vec!["READY".to_owned()])
    );
}

#[tokio::test]
async fn an_older_version_does_not_touch_data_of_a_newer_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let newer = changed("machine: WorkByPlan", "machine: WorkByPlan\nversion: 2");
    let store = Arc::new(Sqlite::open(&path).expect("a store"));
    ready(&Sessions::new(store, newer).session(&identity("other-machines"))).await;
    let why = seen_by(&path, machine_set())
        .await
        .expect_err("the data is newer");
    assert!(
        matches!(
            why,
            UnreadableReason::Newer {
                stored: 2,
                known: 1,
                ..
            }
        ),
        "{why}"
    );
}

#[tokio::test]
async fn parked_plans_return_with_their_machine() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let identity = identity("parked-plans");
    ready(&on_disk(&path).session(&identity)).await;
    let other = Gate::builder()
        .with(plan_mode::Machine)
        .parks("WorkByPlan")
        .join()
        .expect("a valid set of machines");
    let store = Arc::new(Sqlite::open(&path).expect("a store"));
    let session = Sessions::new(store, other).session(&identity);
    for _ in 0..100 {
        session
            .command("/plan on", &around())
            .await
            .expect("the plan is started");
        session
            .command("/plan off", &around())
            .await
            .expect("the plan is ended");
    }
    let back = Gate::builder()
        .with(work_by_plan::Machine)
        .parks("PlanMode")
        .join()
        .expect("a valid set of machines");
    let store = Arc::new(Sqlite::open(&path).expect("a store"));
    assert_eq!(
        states(&Sessions::new(store, back).session(&identity)).await,
        ["READY"]
    );
}

#[tokio::test]
async fn a_record_that_lacks_a_field_of_its_state_is_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let sessions = |draft: &str| {
        let store = Arc::new(Sqlite::open(&path).expect("a store"));
        Sessions::new(store, note(draft)).session(&identity("lacks-a-field"))
    };
    let session = sessions("");
    session
        .command("/note", &around())
        .await
        .expect("the plan is started");
    assert!(sessions("has: [title], ").plans().await.is_ok());
    // The entry is changed, with a matching digest, as if a program with another spec had written it.
    let rows = session.store().history(session.identity(), 0, 1).await;
    let body = rows.expect("a row")[0].body.clone();
    let altered = body.replace("\"data\":{\"title\":\"x\"}", "\"data\":{}");
    assert_ne!(body, altered);
    let digest = Chain::start(session.identity()).then(&altered).digest();
    let file = Connection::open(&path).expect("the file");
    for put in [
        "UPDATE entry SET body = ?1, digest = ?2",
        "UPDATE session SET head = ?2 WHERE ?1 IS NOT NULL",
    ] {
        let put = file.execute(put, rusqlite::params![altered, digest]);
        assert_eq!(put, Ok(1));
    }
    assert!(sessions("").plans().await.is_ok());
    let damaged = sessions("has: [title], ")
        .damaged()
        .await
        .expect("the plans of the session");
    let problem = damaged[0].problems.join("; ");
    assert!(
        problem.contains("title") && problem.contains("DRAFT"),
        "{problem}"
    );
}

#[tokio::test]
async fn an_entry_that_was_altered_is_found_however_old_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let session = on_disk(&path).session(&identity("altered-of-old"));
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    let call = draft("# v1").once("call-1");
    session
        .decide(std::slice::from_ref(&call), &around())
        .await
        .expect("the draft is stored");
    for number in 0..130 {
        session
            .decide(&[draft(&format!("# {number}"))], &around())
            .await
            .expect("the draft is stored");
    }
    let damage = "UPDATE entry SET body = replace(body, '# v1', '# v9') WHERE seq = 2";
    Connection::open(&path)
        .expect("the file")
        .execute_batch(damage)
        .expect("the file is damaged");
    let session = on_disk(&path).session(session.identity());
    // The damaged entry is not needed to open the session, but anything that reads the entry returns an error.
    assert_eq!(states(&session).await, ["READY"]);
    for error in [
        session.history(0, 10).await.map(drop),
        session.history(1, 1).await.map(drop),
        session.decide(&[call], &around()).await.map(drop),
    ] {
        let why = only_in_history(error.expect_err("the entry was altered"));
        assert!(
            matches!(why, UnreadableReason::Altered { seq: 2, .. }),
            "{why}"
        );
    }
    let error = session.effects().await.expect_err("the entry was altered");
    let is_altered = matches!(
        error,
        SessionError::Unreadable {
            why: UnreadableReason::Altered { seq: 2, .. },
            ..
        }
    );
    assert!(is_altered, "{error}");
    assert!(session.history(100, 10).await.is_ok());
}

/// Returns why an entry cannot be read. The error must not suggest a restart, because the session can be read.
fn only_in_history(error: SessionError) -> UnreadableReason {
    let told = error.to_string();
    assert!(told.contains("the plans of the session can"), "{told}");
    assert!(!told.contains("restart"), "{told}");
    let SessionError::Unreadable { why, .. } = error else {
        panic!("{told}");
    };
    let UnreadableReason::HistoryOnly(why) = why else {
        panic!("{told}");
    };
    *why
}

#[tokio::test]
async fn a_restart_is_suggested_only_for_a_session_that_can_be_restarted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let session = on_disk(&path).session(&identity("missing-of-old"));
    ready(&session).await;
    for number in 0..130 {
        session
            .decide(&[draft(&format!("# {number}"))], &around())
            .await
            .expect("the draft is stored");
    }
    for effect in session.effects().await.expect("the pending effects") {
        session.settle(&effect.id).await.expect("settled");
    }
    let delete = |seq: u32| {
        let file = Connection::open(&path).expect("the file");
        let deleted = file.execute("DELETE FROM entry WHERE seq = ?", [seq]);
        assert_eq!(deleted, Ok(1));
    };
    delete(2);
    let sessions = on_disk(&path);
    let session = sessions.session(session.identity());
    let error = session.history(2, 10).await.expect_err("it is missing");
    assert_eq!(only_in_history(error), UnreadableReason::Missing { seq: 2 });
    let error = session.watch(2).next().await.expect_err("it is missing");
    assert_eq!(only_in_history(error), UnreadableReason::Missing { seq: 2 });
    let refused = session.restart("an entry is missing", &around()).await;
    assert_eq!(refused, Err(SessionError::Readable));

    delete(130);
    let session = on_disk(&path).session(session.identity());
    let error = session.history(130, 10).await.expect_err("it is missing");
    assert_eq!(Some(&error), session.plans().await.as_ref().err());
    assert!(error.to_string().contains("restart"), "{error}");
    let restarted = session.restart("an entry is missing", &around()).await;
    assert!(restarted.is_ok(), "{restarted:?}");
}

#[tokio::test]
async fn an_answer_whose_entry_is_missing_names_the_entry() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    let session = on_disk(&path).session(&identity("lost-its-entry"));
    session
        .command("/plan on", &around())
        .await
        .expect("the plan is started");
    let call = draft("# v1").once("call-1");
    session
        .decide(std::slice::from_ref(&call), &around())
        .await
        .expect("the draft is stored");
    let damage = "
        DELETE FROM effect;
        DELETE FROM entry WHERE seq = 2;
        UPDATE session SET seq = 1, head = (SELECT digest FROM entry WHERE seq = 1)";
    Connection::open(&path)
        .expect("the file")
        .execute_batch(damage)
        .expect("the file is damaged");
    let session = on_disk(&path).session(session.identity());
    assert_eq!(states(&session).await, ["COLLECTING"]);
    let error = session.decide(&[call], &around()).await;
    let error = error.expect_err("the entry is missing");
    assert_eq!(only_in_history(error), UnreadableReason::Missing { seq: 2 });
}
