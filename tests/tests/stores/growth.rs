//! The size of a store compared with the size of its input: a growing plan is not rewritten with each entry.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use plan_machine::gate::{Decision, Gate, MachineSet, ToolCall};
use plan_machine::machine::{Call, CallKind, ShownToken};
use plan_machine::{Json, Object};
use plan_machine_sessions::store::{Memory, Sqlite, Store};
use plan_machine_sessions::{Session, SessionIdentity, Sessions};
use plan_specs::plan_mode;

use crate::world::{by, connected, server};

/// The load of a session: the number of its plans, the number of calls in each plan, and the number
/// of bytes in each call.
#[derive(Clone, Copy)]
struct Size {
    plans: usize,
    calls: usize,
    bytes: usize,
}

const fn size(plans: usize, calls: usize, bytes: usize) -> Size {
    Size {
        plans,
        calls,
        bytes,
    }
}

/// The loads that are tested. The last one, 5 MB of calls, takes minutes: it runs only if `PLAN_MACHINE_GROWTH` is set.
///
/// The first one has the shortest calls for which the bounds hold in every store.
const SIZES: [Size; 4] = [
    size(1, 50, 1_250),
    size(1, 50, 2_000),
    size(1, 50, 20_000),
    size(2, 50, 50_000),
];

fn sizes() -> &'static [Size] {
    let all = std::env::var_os("PLAN_MACHINE_GROWTH").is_some();
    if all { &SIZES } else { &SIZES[..3] }
}

/// The number of times that the bytes of the calls may be stored: after the calls are recorded, and
/// after they are carried out.
const RECORDED: u64 = 3;
const CARRIED_OUT: u64 = 5;

fn machines() -> MachineSet {
    let gate = Gate::builder().with(plan_mode::Machine);
    let gate = gate.host_tool("write_file", "Writes a file.", Object::new());
    gate.join().expect("a machine")
}

fn identity() -> SessionIdentity {
    SessionIdentity::new("growth", "long-plans").expect("an identity")
}

/// Returns unique arguments of this many bytes.
fn args(number: usize, bytes: usize) -> Object {
    let mut state = 0x9e37_79b9_u64 + number as u64;
    let mut text = String::with_capacity(bytes);
    while text.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        text.push_str(&state.to_string());
    }
    text.truncate(bytes);
    let mut args = Object::new();
    args.push("path", format!("file-{number}"));
    args.push("content", text);
    args
}

/// Records the calls with these numbers and returns their total size in bytes.
async fn recorded(session: &Session, calls: Range<usize>, bytes: usize) -> u64 {
    session
        .command("/plan on", &by("ann"))
        .await
        .expect("begun");
    let mut sent = 0;
    for number in calls {
        let args = args(number, bytes);
        sent += args.to_string().len() as u64;
        let call = ToolCall::new("write_file", args).once(format!("call-{number}"));
        let done = session
            .decide(&[call], &by("model"))
            .await
            .expect("an answer");
        let decision = &done.answer[0];
        assert!(
            matches!(decision, Decision::Recorded { .. }),
            "{decision:?}"
        );
    }
    sent
}

async fn sent(session: &Session, event: &str, with: Object) {
    let mut call = Call::new(CallKind::Event(event.to_owned().into()));
    call.with = with;
    call.token = ShownToken::Current;
    let done = session.send("PlanMode", &call, &by("host")).await;
    let answer = done.expect("an answer").answer;
    assert!(answer.is_accepted(), "{event}: {answer:?}");
}

/// Approves the plan and carries out all of its calls.
async fn carried_out(session: &Session, calls: usize) {
    sent(session, "plan_finalize", Object::new()).await;
    sent(session, "approve", Object::new()).await;
    for number in 0..calls {
        let step = [("step", Json::from(number as u64))].into_iter().collect();
        sent(session, "step_started", step).await;
        for effect in session.effects().await.expect("effects") {
            session.settle(&effect.id).await.expect("settled");
        }
        let result = [("result", "written")].into_iter().collect();
        sent(session, "step_completed", result).await;
    }
}

/// Returns the size in bytes of everything that a store returns for the session: entries, answers and the snapshot.
async fn kept(session: &Session) -> u64 {
    let (store, identity) = (session.store(), session.identity());
    let rows = store.history(identity, 0, u32::MAX).await.expect("entries");
    let answers = store.answers(identity, 0, u64::MAX).await.expect("answers");
    let snapshot = store.read(identity).await.expect("read").snapshot;
    let bodies = rows.iter().map(|row| row.body.len());
    let bodies = bodies.chain(answers.iter().map(|given| given.body.len()));
    let bytes: usize = bodies.chain(snapshot.map(|row| row.body.len())).sum();
    bytes as u64
}

plan_machine::machine! {
    machine Log;
    command begin = "/log";
    command end = "/end";
    /// Adds a line.
    tool note { line: string }
    data { text: string = "" }
    state none { on begin => OPEN; }
    state OPEN {
        on note { set text = "{text}{event.line}"; }
        on end => CLOSED next none;
    }
    final state CLOSED;
}

#[tokio::test]
async fn only_the_added_part_of_a_growing_text_is_stored() {
    let log = Gate::builder()
        .with(log::Machine)
        .join()
        .expect("a machine");
    let sessions = Sessions::new(Arc::new(Memory::new()), log);
    let session = sessions.session(&identity());
    session.command("/log", &by("ann")).await.expect("begun");
    let mut sent = 0;
    for number in 0..100 {
        let line = args(number, 500);
        let line = line.get("content").and_then(Json::as_text).expect("a text");
        sent += line.len() as u64;
        let call = ToolCall::new("note", Object::from_iter([("line", line)]));
        let done = session.decide(&[call], &by("model")).await;
        let decision = &done.expect("an answer").answer[0];
        assert!(matches!(decision, Decision::Applied { .. }), "{decision:?}");
    }
    within("grown", sent, kept(&session).await, 0, RECORDED);
}

/// Fills a store; `size` returns how many bytes the store uses on disk.
async fn grows(store: Arc<dyn Store>, taken: Size, size: impl AsyncFn() -> u64) {
    let Size {
        plans,
        calls,
        bytes,
    } = taken;
    let sessions = Sessions::new(Arc::clone(&store), machines());
    let session = sessions.session(&identity());
    let (before, mut sent) = (size().await, 0);
    for number in 0..plans {
        sent += recorded(&session, number * calls..(number + 1) * calls, bytes).await;
        if number == 0 {
            let (kept, size) = (kept(&session).await, size().await - before);
            within("recorded", sent, kept, size, RECORDED);
        }
        carried_out(&session, calls).await;
    }
    let (kept, size) = (kept(&session).await, size().await - before);
    within("carried out", sent, kept, size, CARRIED_OUT);
    // The data that is read back is complete.
    let again = Sessions::new(store, machines()).session(&identity());
    assert_eq!(again.verify(&machines()).await, Ok(Vec::new()));
    let entries = again.history(0, u32::MAX).await.expect("entries");
    let recorded = &entries[calls].step.acceptance.plans[0].data;
    let steps = recorded
        .get("steps")
        .and_then(Json::as_list)
        .expect("steps");
    assert_eq!(steps.len(), calls);
    let last = steps[calls - 1]
        .as_object()
        .and_then(|step| step.get("args"));
    let expected = Json::from(args(calls - 1, bytes));
    assert_eq!(last, Some(&expected));
    // Each entry can be read on its own, whatever earlier entries it builds on.
    for entry in entries.iter().step_by(19) {
        let alone = again.history(entry.seq - 1, 1).await.expect("an entry");
        assert_eq!(alone[0].to_text(), entry.to_text(), "entry {}", entry.seq);
    }
    let call = ToolCall::new("write_file", args(7, bytes)).once("call-7");
    let done = again.decide(&[call], &by("model")).await;
    let done = done.expect("an answer");
    assert!(done.repeated, "the call is still known");
}

fn within(what: &str, sent: u64, kept: u64, size: u64, times: u64) {
    let hundredths = |bytes: u64| bytes * 100 / sent;
    println!(
        "{what}: {sent} bytes sent, {} % stored, {} % on disk",
        hundredths(kept),
        hundredths(size)
    );
    assert!(
        kept <= times * sent,
        "{what}: {kept} bytes are stored for {sent} bytes sent"
    );
    assert!(
        size <= times * sent,
        "{what}: {size} bytes are on disk for {sent} bytes sent"
    );
}

#[tokio::test]
async fn memory_stores_only_changes() {
    for size in sizes() {
        grows(Arc::new(Memory::new()), *size, async || 0).await;
    }
}

fn file_size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

#[tokio::test]
async fn sqlite_stores_only_changes() {
    for size in sizes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("plans.db");
        let store: Arc<dyn Store> = Arc::new(Sqlite::open(&path).expect("a store"));
        let closing = Arc::clone(&store);
        grows(store, *size, async || {
            // After the store is closed, all data is in the file, and nothing is left in the log.
            closing.close().await.expect("closed");
            file_size(&path) + file_size(&folder.path().join("plans.db-wal"))
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_stores_only_changes() {
    let tables = ["entry", "snapshot", "answer", "effect", "session"];
    let total = tables.map(|name| format!("pg_total_relation_size('plan_machine.{name}')"));
    let total = format!("SELECT {}", total.join(" + "));
    for (number, taken) in sizes().iter().enumerate() {
        let database = &format!("growth_{number}");
        let store: Arc<dyn Store> = Arc::new(connected(&server().database(database)).await);
        // The first pages of tables and indexes, and their free space, belong to the database and not to the session,
        // so another session is written first.
        let first = SessionIdentity::new("growth", "first-pages").expect("an identity");
        let first = Sessions::new(Arc::clone(&store), machines()).session(&first);
        recorded(&first, 0..50, 2_000).await;
        carried_out(&first, 50).await;
        grows(store, *taken, async || {
            let size = tokio::task::block_in_place(|| server().sql(database, &total));
            size.parse().expect("a number")
        })
        .await;
    }
}
