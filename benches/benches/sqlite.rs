//! Durable events a second through sessions, against bare inserts of the same texts that wait for the
//! same disk; and what sessions cost in memory and when they are opened.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plan_machine::Object;
use plan_machine::gate::{Gate, Surroundings, ToolCall};
use plan_machine::session::{Session, SessionIdentity, Sessions};
use plan_machine::store::{Memory, Sqlite, Store};
use plan_machine_benches::work_by_plan;
use rusqlite::{Connection, TransactionBehavior, params};

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir_in(".").expect("a folder on a disk");
    println!(
        "{:<34} {:>12} {:>12} {:>8}",
        "durable events a second", "sessions", "bare", "ratio"
    );
    // In turns, and the best of each: other work on the machine takes time from both.
    for (sessions, events) in [(1, 2000), (1000, 20)] {
        let (mut ours, mut bare) = (Duration::MAX, Duration::MAX);
        for round in 0..3 {
            let file = |what: &str| folder.path().join(format!("{what}-{sessions}-{round}.db"));
            ours = ours.min(runtime.block_on(through_sessions(&file("ours"), sessions, events)));
            bare = bare.min(bare_inserts(&file("bare"), 5000, 1));
        }
        let ours = f64::from(sessions * events) / ours.as_secs_f64();
        let bare = 5000.0 / bare.as_secs_f64();
        let what = format!("{sessions} side by side");
        println!("{what:<34} {ours:>12.0} {bare:>12.0} {:>8.2}", ours / bare);
    }
    let grouped = bare_inserts(&folder.path().join("grouped.db"), 100_000, 500);
    let grouped = 100_000.0 / grouped.as_secs_f64();
    println!("{:<34} {:>12} {grouped:>12.0}", "(500 a transaction)", "");
    runtime.block_on(opening(folder.path()));
    runtime.block_on(in_memory());
}

fn sessions(store: Arc<dyn Store>) -> Sessions {
    let machines = Gate::new()
        .with(work_by_plan::Machine)
        .join()
        .expect("machines");
    Sessions::new(store, machines)
}

fn identity(number: u32) -> SessionIdentity {
    SessionIdentity::new("bench", &format!("session-{number:08}")).expect("an identity")
}

fn draft(number: u32) -> [ToolCall; 1] {
    let mut args = Object::new();
    args.push(
        "plan_markdown",
        format!("# Plan {number}\n\n1. Look.\n2. Leap.\n"),
    );
    [ToolCall::new("plan_set_content", args)]
}

async fn work(session: Session, events: u32) {
    let around = Surroundings::now().by("bench");
    session.command("/plan on", &around).await.expect("begun");
    for number in 1..events {
        session
            .decide(&draft(number), &around)
            .await
            .expect("drafted");
    }
}

/// Each session draws up a plan; sessions side by side share the wait for the disk.
async fn through_sessions(path: &Path, count: u32, events: u32) -> Duration {
    let sessions = sessions(Arc::new(Sqlite::open(path).expect("a store")));
    let began = Instant::now();
    let working: Vec<_> = (0..count)
        .map(|number| tokio::spawn(work(sessions.session(&identity(number)), events)))
        .collect();
    for work in working {
        work.await.expect("no panic");
    }
    began.elapsed()
}

/// The same number of texts of the same length, so many a transaction.
fn bare_inserts(path: &Path, count: u32, together: u32) -> Duration {
    let mut file = Connection::open(path).expect("a file");
    file.pragma_update(None, "journal_mode", "wal")
        .expect("a mode");
    file.pragma_update(None, "synchronous", "full")
        .expect("a mode");
    file.execute_batch("CREATE TABLE entry(session INTEGER, seq INTEGER, body TEXT, digest BLOB)")
        .expect("a table");
    let (body, digest) = ("x".repeat(620), [7_u8; 32]);
    let began = Instant::now();
    let mut left = count;
    while left > 0 {
        let transaction = file
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .expect("begun");
        for _ in 0..together.min(left) {
            transaction
                .prepare_cached("INSERT INTO entry VALUES(?, ?, ?, ?)")
                .and_then(|mut insert| insert.execute(params![1, left, body, digest]))
                .expect("inserted");
        }
        transaction.commit().expect("committed");
        left = left.saturating_sub(together);
    }
    began.elapsed()
}

/// Opening a session reads a snapshot and its tail, however old it is.
async fn opening(folder: &Path) {
    println!(
        "\n{:<34} {:>12} {:>12}",
        "opening a session", "entries read", "time"
    );
    for events in [100, 10_000, 100_000] {
        let store =
            Arc::new(Sqlite::open(folder.join(format!("old-{events}.db"))).expect("a store"));
        let grown = sessions(Arc::clone(&store) as Arc<dyn Store>).session(&identity(1));
        let around = Surroundings::now().by("bench");
        grown.command("/plan on", &around).await.expect("begun");
        let batch: Vec<ToolCall> = (0..100).flat_map(draft).collect();
        for _ in 0..events / 100 {
            grown.decide(&batch, &around).await.expect("drafted");
        }
        let read = store.read(&identity(1)).await.expect("read").tail.len();
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let anew = sessions(Arc::clone(&store) as Arc<dyn Store>).session(&identity(1));
            let began = Instant::now();
            assert_eq!(anew.plans().await.expect("plans").len(), 1);
            best = best.min(began.elapsed());
        }
        println!(
            "{:<34} {read:>12} {best:>12.2?}",
            format!("after {events} events")
        );
    }
}

/// What the process holds, in bytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .expect("a line");
    let kilobytes = line
        .split_whitespace()
        .nth(1)
        .and_then(|number| number.parse::<u64>().ok());
    kilobytes.expect("a number") * 1024
}

/// Open sessions, each with a plan of a few words.
async fn in_memory() {
    const OPEN: u32 = 100_000;
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let writer = sessions(Arc::clone(&store));
    let around = Surroundings::now().by("bench");
    for number in 0..OPEN {
        let session = writer.session(&identity(number));
        session.command("/plan on", &around).await.expect("begun");
        session
            .decide(&draft(number), &around)
            .await
            .expect("drafted");
        writer.forget_idle(Duration::ZERO);
    }
    drop(writer);
    let before = resident();
    let readers = sessions(store);
    let mut open = Vec::new();
    for number in 0..OPEN {
        let session = readers.session(&identity(number));
        session.plans().await.expect("plans");
        open.push(session);
    }
    let each = (resident() - before) / u64::from(OPEN);
    println!("\n{OPEN} open sessions: {each} bytes each, their plans included");
    drop(open);
    readers.forget_idle(Duration::ZERO);
    println!("{} in memory once they are idle", readers.in_memory());
}
