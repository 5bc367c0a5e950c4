//! Durable events per second through sessions, compared with bare inserts that wait for the same disk. Also the time to
//! open a session.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use plan_machine::gate::EventContext;
use plan_machine_benches::rates;
use plan_machine_benches::work::{call, identity, send, sessions, side_by_side};
use plan_machine_sessions::store::{Sqlite, Store};
use rusqlite::{Connection, TransactionBehavior, params};
use tokio::runtime::Runtime;

fn main() {
    let runtime = Runtime::new().expect("a runtime");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on disk");
    println!(
        "{:<32} {:>9} {:>9} {:>6} {:>11} {:>6}",
        "durable events per second", "sessions", "inserts", "ratio", "with index", "ratio"
    );
    for (what, tool) in [
        ("1 session", "write"),
        ("1 session, one effect per event", "announce"),
    ] {
        print(what, one_session(&runtime, folder.path(), tool));
    }
    print("1000 sessions", many_sessions(&runtime, folder.path()));
    let mut grouped = Inserts::into(&folder.path().join("grouped.db"), PLAIN);
    let grouped = 100_000.0 / grouped.some(100_000, 500).as_secs_f64();
    println!(
        "{:<32} {:>9} {grouped:>9.0}",
        "(500 inserts per transaction)", ""
    );
    runtime.block_on(opening(folder.path()));
}

fn print(what: &str, [ours, bare, indexed]: [f64; 3]) {
    let (plain, same) = (ours / bare, ours / indexed);
    println!("{what:<32} {ours:>9.0} {bare:>9.0} {plain:>6.2} {indexed:>11.0} {same:>6.2}");
}

/// Measures three sides in turns: one session that handles one event after another, bare inserts, and inserts into a
/// table with an index. The first turns are not counted, because the files still grow in these turns.
fn one_session(runtime: &Runtime, folder: &Path, tool: &'static str) -> [f64; 3] {
    const EVENTS: u32 = 1000;
    let file = |what: &str| folder.join(format!("{what}-{tool}.db"));
    let store = Arc::new(Sqlite::open(file("ours")).expect("a store"));
    let session = sessions(store).session(&identity(1));
    let around = EventContext::now().by("bench");
    runtime
        .block_on(session.command("/note", &around))
        .expect("begun");
    let mut bare = Inserts::into(&file("bare"), PLAIN);
    let mut indexed = Inserts::into(&file("indexed"), INDEXED);
    let mut turns: Vec<[Duration; 3]> = Vec::new();
    for _ in 0..66 {
        let sent = on_its_thread(runtime, send(session.clone(), tool, EVENTS));
        turns.push([sent, bare.some(EVENTS, 1), indexed.some(EVENTS, 1)]);
    }
    rates(&turns[6..], EVENTS)
}

/// Measures many sessions that run in parallel, and bare inserts that run one after another; returns the best rate of
/// each side.
fn many_sessions(runtime: &Runtime, folder: &Path) -> [f64; 3] {
    const SESSIONS: u32 = 1000;
    const EVENTS: u32 = 20;
    let [mut ours, mut bare, mut indexed] = [Duration::MAX; 3];
    for round in 0..5 {
        let file = |what: &str| folder.join(format!("{what}-many-{round}.db"));
        let store = Arc::new(Sqlite::open(file("ours")).expect("a store"));
        let many = sessions(store);
        ours = ours.min(runtime.block_on(side_by_side(&many, "write", SESSIONS, EVENTS)));
        bare = bare.min(Inserts::into(&file("bare"), PLAIN).some(4000, 1));
        indexed = indexed.min(Inserts::into(&file("indexed"), INDEXED).some(4000, 1));
    }
    let [bare, indexed] = [bare, indexed].map(|took| 4000.0 / took.as_secs_f64());
    [
        f64::from(SESSIONS * EVENTS) / ours.as_secs_f64(),
        bare,
        indexed,
    ]
}

/// Runs the work on a thread of the runtime, where sessions run.
fn on_its_thread(
    runtime: &Runtime,
    work: impl Future<Output = Duration> + Send + 'static,
) -> Duration {
    runtime.block_on(runtime.spawn(work)).expect("no panic")
}

/// A table without an index.
const PLAIN: &str = "CREATE TABLE entry(session INTEGER, seq INTEGER, body TEXT, digest BLOB)";

/// A table with an index for finding the entries of a session, like the table of the store.
const INDEXED: &str = "CREATE TABLE entry(session INTEGER, seq INTEGER, body TEXT, digest BLOB, UNIQUE(session, seq))";

/// Bare inserts of strings that are as long as an entry.
struct Inserts {
    file: Connection,
    seq: u32,
}

impl Inserts {
    fn into(path: &Path, table: &str) -> Self {
        let file = Connection::open(path).expect("a file");
        file.pragma_update(None, "journal_mode", "wal")
            .expect("a mode");
        file.pragma_update(None, "synchronous", "full")
            .expect("a mode");
        file.execute_batch(table).expect("a table");
        Self { file, seq: 0 }
    }

    /// Executes `count` inserts, `together` of them per transaction.
    fn some(&mut self, count: u32, together: u32) -> Duration {
        let (body, digest) = ("x".repeat(411), [7_u8; 32]);
        let began = Instant::now();
        let mut left = count;
        while left > 0 {
            let transaction = self
                .file
                .transaction_with_behavior(TransactionBehavior::Immediate);
            let transaction = transaction.expect("begun");
            for _ in 0..together.min(left) {
                self.seq += 1;
                transaction
                    .prepare_cached("INSERT INTO entry VALUES(?, ?, ?, ?)")
                    .and_then(|mut insert| insert.execute(params![1, self.seq, body, digest]))
                    .expect("inserted");
            }
            transaction.commit().expect("committed");
            left = left.saturating_sub(together);
        }
        began.elapsed()
    }
}

/// Measures how long it takes to open a session. Opening a session reads a snapshot and the entries
/// after it, however old the session is.
async fn opening(folder: &Path) {
    println!(
        "\n{:<34} {:>12} {:>12}",
        "opening a session", "entries read", "time"
    );
    for events in [50, 1_050, 100_050] {
        let store = Sqlite::open(folder.join(format!("old-{events}.db")));
        let store: Arc<dyn Store> = Arc::new(store.expect("a store"));
        let grown = sessions(Arc::clone(&store)).session(&identity(1));
        let around = EventContext::now().by("bench");
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
