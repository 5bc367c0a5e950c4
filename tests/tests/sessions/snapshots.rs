//! A snapshot is bound to its session: it contains the session's identity, the number of an entry, and the digest of
//! that entry.

use std::path::Path;
use std::sync::Arc;

use plan_machine::Object;
use plan_machine::gate::{Decision, Gate, MachineSet, ToolCall};
use plan_machine::interpret::InterpretedMachine;
use plan_machine_sessions::journal::{Chain, Snapshot};
use plan_machine_sessions::store::{Commit, Memory, NextDue, Row, Sqlite, Store};
use plan_machine_sessions::{Session, SessionError, Sessions, UnreadableReason};
use rusqlite::Connection;

use super::formats::rewritten;
use super::{around, identity, states};

/// The number of entries after which the first snapshot is made.
const AT: u64 = 128;

/// Returns a machine that denies the tool `shell` until a person sends `/open`.
fn gated() -> MachineSet {
    let spec = "machine: Gated
commands: { begin: /on, open: /open, end: /off }
tools: { note: { input: { text: string } } }
states:
  none: { other_tools: deny, on: { begin: CLOSED } }
  CLOSED: { other_tools: deny, on: { note: CLOSED, open: OPEN, end: { to: DONE, next: none } } }
  OPEN: { other_tools: run, on: { end: { to: DONE, next: none } } }
  DONE: { final: true }
";
    let machine = InterpretedMachine::read("gated.yaml", spec).expect("a valid spec");
    let gate = Gate::builder().with(machine);
    let gate = gate.host_tool("shell", "Runs a command.", Object::new());
    gate.join().expect("a valid set of machines")
}

fn on_disk(path: &Path) -> Sessions {
    Sessions::new(Arc::new(Sqlite::open(path).expect("a store")), gated())
}

fn in_memory() -> Sessions {
    Sessions::new(Arc::new(Memory::new()), gated())
}

async fn noted(session: &Session) {
    let mut args = Object::new();
    args.push("text", "again");
    let done = session
        .decide(&[ToolCall::new("note", args)], &around())
        .await;
    let decision = &done.expect("an answer").answer[0];
    assert!(matches!(decision, Decision::Applied { .. }), "{decision:?}");
}

/// Adds entries to a session until its first snapshot is made. If `open` is true, the tool `shell` may run in the last
/// state; otherwise, it is denied.
async fn with_a_snapshot(session: &Session, open: bool) {
    session
        .command("/on", &around())
        .await
        .expect("the plan is started");
    let last = if open { AT - 1 } else { AT };
    while session.seq().await.expect("the number of the last entry") < last {
        noted(session).await;
    }
    if open {
        session
            .command("/open", &around())
            .await
            .expect("the gate is opened");
    }
    assert_eq!(session.seq().await, Ok(AT));
}

async fn shell(session: &Session) -> Result<Decision, SessionError> {
    let call = ToolCall::new("shell", Object::new());
    let mut done = session.decide(&[call], &around()).await?;
    Ok(done.answer.remove(0))
}

/// Creates two sessions in a file: `closed-session`, in which the tool `shell` is denied, and `open-session`, in which
/// it may run.
async fn two(path: &Path) {
    let sessions = on_disk(path);
    let closed = sessions.session(&identity("closed-session"));
    with_a_snapshot(&closed, false).await;
    assert!(matches!(shell(&closed).await, Ok(Decision::Denied(_))));
    let open = sessions.session(&identity("open-session"));
    with_a_snapshot(&open, true).await;
    assert!(matches!(shell(&open).await, Ok(Decision::Run(_))));
}

fn changed(path: &Path, statements: &str) {
    let file = Connection::open(path).expect("the file");
    file.execute_batch(statements).expect("the file is changed");
}

#[tokio::test]
async fn a_snapshot_of_another_session_does_not_open_the_gate() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    two(&path).await;
    changed(
        &path,
        "UPDATE snapshot SET (seq, body, digest) = (SELECT seq, body, digest FROM snapshot WHERE session = 2)
         WHERE session = 1",
    );
    let sessions = on_disk(&path);
    let session = sessions.session(&identity("closed-session"));
    let error = shell(&session)
        .await
        .expect_err("the snapshot belongs to another session");
    let told = "entry 128 is damaged: the snapshot after this entry belongs to another session, test:open-session";
    assert!(error.to_string().contains(told), "{error}");
    assert!(session.plans().await.is_err());
    let other = sessions.session(&identity("open-session"));
    assert!(matches!(shell(&other).await, Ok(Decision::Run(_))));
}

#[tokio::test]
async fn a_snapshot_of_another_entry_does_not_open_the_gate() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    two(&path).await;
    // A session in another file has the same identity and the same number of entries, but a different last entry.
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let other = elsewhere.path().join("plans.db");
    let session = on_disk(&other).session(&identity("closed-session"));
    with_a_snapshot(&session, true).await;
    drop(session);
    let copied = format!(
        "ATTACH '{}' AS other;
         UPDATE snapshot SET (seq, body, digest) = (SELECT seq, body, digest FROM other.snapshot)
         WHERE session = 1",
        other.display()
    );
    changed(&path, &copied);
    let session = on_disk(&path).session(&identity("closed-session"));
    let error = shell(&session)
        .await
        .expect_err("the snapshot belongs to another entry");
    assert!(
        error
            .to_string()
            .contains("the snapshot after this entry contains the digest of another entry"),
        "{error}"
    );
}

#[tokio::test]
async fn a_snapshot_beyond_the_last_entry_says_what_is_missing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    two(&path).await;
    let session = on_disk(&path).session(&identity("short-session"));
    session
        .command("/on", &around())
        .await
        .expect("the plan is started");
    drop(session);
    changed(
        &path,
        "INSERT INTO snapshot SELECT 3, seq, body, digest FROM snapshot WHERE session = 2",
    );
    let session = on_disk(&path).session(&identity("short-session"));
    let error = shell(&session).await.expect_err("127 entries are missing");
    let SessionError::Unreadable { why, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(why, UnreadableReason::Missing { seq: 2 });
}

/// Returns the text as it was written in format 2, in which a snapshot does not contain the session's identity.
fn of_format_2(body: &str) -> String {
    let older = body.replace("{\"format\":4,", "{\"format\":2,");
    older.replace("\"session\":\"test:old-snapshot\",", "")
}

#[tokio::test]
async fn an_old_snapshot_is_not_trusted_but_rebuilt_from_the_entries() {
    let session = in_memory().session(&identity("old-snapshot"));
    with_a_snapshot(&session, false).await;
    // Someone changes the state of the plan in the snapshot, and computes matching digests.
    let opened = |body: &str| {
        let older = of_format_2(body);
        let is_snapshot = older.contains("\"machines\":");
        if is_snapshot {
            let opened = older.replace("\"CLOSED\"", "\"OPEN\"");
            assert_ne!(opened, older);
            opened
        } else {
            older
        }
    };
    let store = rewritten(&session, opened).await;
    let sessions = Sessions::new(store, gated());
    let session = sessions.session(&identity("old-snapshot"));
    assert_eq!(states(&session).await, ["CLOSED"]);
    assert!(matches!(shell(&session).await, Ok(Decision::Denied(_))));
    // The next commit writes a snapshot that can be trusted.
    noted(&session).await;
    let read = session
        .store()
        .read(session.identity())
        .await
        .expect("the stored session");
    let bound = Snapshot::bound(session.identity(), &read)
        .expect("a snapshot that is bound to the session");
    assert_eq!(bound.expect("a snapshot").seq, AT + 1);
}

#[tokio::test]
async fn entries_that_a_snapshot_refers_to_but_the_store_lacks_are_reported() {
    let session = in_memory().session(&identity("cut-off-entries"));
    session
        .command("/on", &around())
        .await
        .expect("the plan is started");
    noted(&session).await;
    let read = session
        .store()
        .read(session.identity())
        .await
        .expect("the stored session");
    assert_eq!(read.head.seq, 2);
    // The store contains a snapshot after entry 2, but only entry 1.
    let store = Memory::new();
    let snapshot = Snapshot {
        seq: 2,
        chain: Chain::at(read.tail[1].digest),
        ..Snapshot::empty(session.identity())
    };
    let body = snapshot.to_text();
    let commit = Commit {
        session: session.identity().clone(),
        expected: 0,
        after: None,
        rows: read.tail[..1].to_vec(),
        effects: Vec::new(),
        answers: Vec::new(),
        snapshot: Some(Row {
            seq: 2,
            digest: snapshot.chain.beside("snapshot", &body),
            body,
        }),
        due: NextDue::Unchanged,
    };
    store.append(commit).await.expect("the commit is stored");
    let error = Snapshot::load(&store, session.identity()).await;
    let error = error.expect_err("entry 2 is missing");
    assert!(error.to_string().contains("entry 2 is missing"), "{error}");
}
