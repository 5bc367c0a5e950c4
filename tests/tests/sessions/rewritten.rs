//! A snapshot that was rewritten with a matching digest. A session can be opened from such a snapshot, because everyone
//! who can write to the store is trusted, but `verify` compares the snapshot with the entries.

use std::path::Path;
use std::sync::Arc;

use plan_machine::Object;
use plan_machine::gate::{Gate, MachineSet, ToolCall};
use plan_machine::interpret::InterpretedMachine;
use plan_machine_sessions::journal::Snapshot;
use plan_machine_sessions::store::{Sqlite, Store};
use plan_machine_sessions::{Session, Sessions};
use rusqlite::Connection;

use super::{around, identity};

/// The number of entries after which the first snapshot is made.
const AT: u64 = 128;

/// Returns two machines: one that has a single plan at a time, and one with many plans.
fn machines() -> MachineSet {
    let one = "machine: One
commands: { begin: /on, approve: /approve, end: /off }
states:
  none: { on: { begin: DRAFTING } }
  DRAFTING: { other_tools: deny, on: { approve: APPROVED, end: { to: DONE, next: none } } }
  APPROVED: { on: { end: { to: DONE, next: none } } }
  DONE: { final: true }
";
    let many = "machine: Notes
instances: many
data: { text: string }
tools: { keep: { input: { text: string } } }
commands: { drop: /drop }
states:
  none: { on: { keep: { to: KEPT, set: { text: event.text } } } }
  KEPT: { on: { drop: DROPPED } }
  DROPPED: { final: true }
";
    let read = |name: &str, spec: &str| InterpretedMachine::read(name, spec).expect("a valid spec");
    let gate = Gate::builder().with(read("one.yaml", one));
    let gate = gate.with(read("notes.yaml", many));
    gate.join().expect("machines without conflicts")
}

fn opened(path: &Path) -> Session {
    let store: Arc<dyn Store> = Arc::new(Sqlite::open(path).expect("a store"));
    Sessions::new(store, machines()).session(&identity("rewritten"))
}

/// Creates a session with a draft, many notes and a snapshot.
async fn with_a_snapshot(path: &Path) {
    let session = opened(path);
    session
        .command("/on", &around())
        .await
        .expect("the plan is started");
    while session.seq().await.expect("the number of the last entry") < AT {
        let mut args = Object::new();
        args.push("text", "milk");
        let keep = [ToolCall::new("keep", args)];
        session
            .decide(&keep, &around())
            .await
            .expect("the note is kept");
    }
}

/// Rewrites the snapshot of a session, and returns the problems that `verify` reports.
async fn reported(rewrite: impl FnOnce(&mut Snapshot)) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    with_a_snapshot(&path).await;
    let file = Connection::open(&path).expect("the file");
    let body = file.query_row("SELECT body FROM snapshot", [], |row| row.get(0));
    let body: String = body.expect("a snapshot");
    let mut snapshot = Snapshot::read(&body).expect("a snapshot");
    assert_eq!(snapshot.seq, AT);
    rewrite(&mut snapshot);
    let body = snapshot.to_text();
    let digest = snapshot.chain.beside("snapshot", &body);
    let put = "UPDATE snapshot SET body = ?, digest = ?";
    assert_eq!(file.execute(put, rusqlite::params![body, digest]), Ok(1));
    drop(file);
    let session = opened(&path);
    let differences = session
        .verify(&machines())
        .await
        .expect("the result of the verification");
    let differences = differences.into_iter().map(|one| {
        assert_eq!(one.seq, AT);
        one.problem
    });
    differences.collect()
}

fn holding(snapshot: &mut Snapshot, machine: &str) -> usize {
    let mut holdings = snapshot.holdings.iter();
    let at = holdings.position(|holding| holding.machine == machine);
    at.expect("a machine of the session")
}

#[tokio::test]
async fn a_snapshot_as_it_was_written_is_verified() {
    assert_eq!(reported(|_| ()).await, [""; 0]);
}

#[tokio::test]
async fn an_approval_that_was_written_into_a_snapshot_is_reported() {
    let reported = reported(|snapshot| {
        let at = holding(snapshot, "One");
        snapshot.holdings[at].stored.plans[0].state = "APPROVED".into();
    });
    assert_eq!(
        reported.await,
        [
            "the plans of One in the snapshot of entry 128 differ from the plans that the entries produce: \
          the plan plan-1 is in APPROVED, but according to the entries, it should be in DRAFTING"
        ]
    );
}

#[tokio::test]
async fn a_plan_that_was_taken_out_of_a_snapshot_is_reported() {
    let reported = reported(|snapshot| {
        let at = holding(snapshot, "One");
        snapshot.holdings.remove(at);
    });
    assert_eq!(
        reported.await,
        [
            "the plans of One in the snapshot of entry 128 differ from the plans that the entries produce: \
          the slot contains nothing, but according to the entries, it should contain plan-1"
        ]
    );
}

#[tokio::test]
async fn plans_that_were_put_into_a_snapshot_or_left_out_are_reported() {
    let put_in = reported(|snapshot| {
        let at = holding(snapshot, "Notes");
        let plans = &mut snapshot.holdings[at].stored.plans;
        let mut another = plans[0].clone();
        another.id = "note-of-nobody".into();
        plans.push(another);
    });
    assert_eq!(
        put_in.await,
        [
            "the plans of Notes in the snapshot of entry 128 differ from the plans that the entries produce: \
          no entry mentions the plan note-of-nobody"
        ]
    );
    let left_out = reported(|snapshot| {
        let at = holding(snapshot, "Notes");
        snapshot.holdings[at].stored.plans.pop();
    });
    assert_eq!(
        left_out.await,
        [
            "the plans of Notes in the snapshot of entry 128 differ from the plans that the entries produce: \
          the plan plan-128 is missing"
        ]
    );
}

#[tokio::test]
async fn a_snapshot_whose_slot_names_no_plan_is_not_opened() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("plans.db");
    with_a_snapshot(&path).await;
    let file = Connection::open(&path).expect("the file");
    let body = file.query_row("SELECT body FROM snapshot", [], |row| row.get(0));
    let body: String = body.expect("a snapshot");
    let chain = Snapshot::read(&body).expect("a snapshot").chain;
    let body = body.replace("\"slot\":0", "\"slot\":7");
    let digest = chain.beside("snapshot", &body);
    let put = "UPDATE snapshot SET body = ?, digest = ?";
    assert_eq!(file.execute(put, rusqlite::params![body, digest]), Ok(1));
    drop(file);
    let error = opened(&path)
        .plans()
        .await
        .expect_err("the index in `slot` is out of range");
    let problem = "the snapshot after this entry cannot be read: `slot` is 7, but there is no plan with that index";
    assert!(error.to_string().contains(problem), "{error}");
}
