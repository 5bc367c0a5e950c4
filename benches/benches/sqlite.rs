//! Durable events a second through sessions, against bare inserts that wait for the same disk; and
//! what sessions cost in memory and when they are opened.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plan_machine::gate::Surroundings;
use plan_machine::store::{Memory, Sqlite, Store};
use plan_machine_benches::work::{call, identity, sessions, side_by_side};
use rusqlite::{Connection, TransactionBehavior, params};

fn main() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir_in(".").expect("a folder on a disk");
    println!(
        "{:<28} {:>9} {:>9} {:>6} {:>11} {:>6}",
        "durable events a second", "sessions", "inserts", "ratio", "with index", "ratio"
    );
    for (tool, count, events) in [
        ("write", 1, 4000),
        ("announce", 1, 4000),
        ("write", 1000, 20),
    ] {
        let [mut ours, mut bare, mut indexed] = [Duration::MAX; 3];
        // In turns, and the best of each: other work on the machine takes time from all.
        for round in 0..5 {
            let file = |what: &str| {
                folder
                    .path()
                    .join(format!("{what}-{tool}-{count}-{round}.db"))
            };
            let store = Arc::new(Sqlite::open(file("ours")).expect("a store"));
            ours = ours.min(runtime.block_on(side_by_side(&sessions(store), tool, count, events)));
            bare = bare.min(bare_inserts(&file("bare"), PLAIN, 4000, 1));
            indexed = indexed.min(bare_inserts(&file("indexed"), INDEXED, 4000, 1));
        }
        let ours = f64::from(count * events) / ours.as_secs_f64();
        let [bare, indexed] = [bare, indexed].map(|took| 4000.0 / took.as_secs_f64());
        let what = match (tool, count) {
            ("announce", _) => "1 session, an effect each".to_owned(),
            (_, 1) => "1 session".to_owned(),
            (_, many) => format!("{many} sessions"),
        };
        let (plain, same) = (ours / bare, ours / indexed);
        println!("{what:<28} {ours:>9.0} {bare:>9.0} {plain:>6.2} {indexed:>11.0} {same:>6.2}");
    }
    let grouped = bare_inserts(&folder.path().join("grouped.db"), PLAIN, 100_000, 500);
    let grouped = 100_000.0 / grouped.as_secs_f64();
    println!(
        "{:<28} {:>9} {grouped:>9.0}",
        "(500 inserts a transaction)", ""
    );
    runtime.block_on(opening(folder.path()));
    runtime.block_on(in_memory());
}

/// A table without anything by which its rows could be found.
const PLAIN: &str = "CREATE TABLE entry(session INTEGER, seq INTEGER, body TEXT, digest BLOB)";

/// A table in which a session finds its entries, as the store's own is.
const INDEXED: &str = "CREATE TABLE entry(session INTEGER, seq INTEGER, body TEXT, digest BLOB, UNIQUE(session, seq))";

/// Texts of the length of an entry, so many a transaction.
fn bare_inserts(path: &Path, table: &str, count: u32, together: u32) -> Duration {
    let mut file = Connection::open(path).expect("a file");
    file.pragma_update(None, "journal_mode", "wal")
        .expect("a mode");
    file.pragma_update(None, "synchronous", "full")
        .expect("a mode");
    file.execute_batch(table).expect("a table");
    let (body, digest) = ("x".repeat(411), [7_u8; 32]);
    let began = Instant::now();
    let mut left = count;
    while left > 0 {
        let transaction = file.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = transaction.expect("begun");
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
    for events in [50, 1_050, 100_050] {
        let store = Sqlite::open(folder.join(format!("old-{events}.db")));
        let store: Arc<dyn Store> = Arc::new(store.expect("a store"));
        let grown = sessions(Arc::clone(&store)).session(&identity(1));
        let around = Surroundings::now().by("bench");
        grown.command("/note", &around).await.expect("begun");
        for _ in 0..events / 50 {
            let batch: Vec<_> = (0..50).map(|number| call("write", number)).collect();
            grown.decide(&batch, &around).await.expect("written");
        }
        let read = store.read(&identity(1)).await.expect("read").tail.len();
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let anew = sessions(Arc::clone(&store)).session(&identity(1));
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
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.expect("a number") * 1024
}

/// Open sessions, each with a plan of a few words; and sessions that are known and not open.
async fn in_memory() {
    const OPEN: u32 = 100_000;
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let writer = sessions(Arc::clone(&store));
    let around = Surroundings::now().by("bench");
    for number in 0..OPEN {
        let session = writer.session(&identity(number));
        session.command("/note", &around).await.expect("begun");
        session
            .decide(&[call("write", number)], &around)
            .await
            .expect("written");
        drop(session);
        writer.forget_idle(Duration::ZERO);
    }
    println!(
        "\n{} of {OPEN} idle sessions are in memory",
        writer.in_memory()
    );
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
    println!("{OPEN} open sessions: {each} bytes each, their plans included");
}
