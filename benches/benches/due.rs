//! The time to find the sessions whose timers are due: 1,000 of 1,000 sessions, and 1,000 of 100,000.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plan_machine::gate::EventContext;
use plan_machine_benches::rates;
use plan_machine_benches::work::identity;
use plan_machine_sessions::Sessions;
use plan_machine_sessions::store::{Postgres, Sqlite, Store};
use plan_machine_tests::postgres::Server;
use plan_machine_tests::ticking::{at, machines};

/// The number of sessions whose timers are due.
const DUE: u32 = 1000;

/// The time at which the due sessions are looked up, in seconds after the start of the tests. The timers of the due
/// sessions start at second 0 and run for one second.
const NOW: u64 = 10;

/// The time at which the timers of the other sessions start, in seconds after the start of the tests.
const LATER: u64 = 3600;

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on disk");
    let server = Server::start();
    println!(
        "{:<32} {:>14} {:>14} {:>6}",
        "milliseconds to find 1000", "of 1000", "of 100000", "ratio"
    );
    let mut stores = Vec::new();
    for count in [DUE, 100_000] {
        let file = Sqlite::open(folder.path().join(format!("{count}.db")));
        let database = Postgres::connect(&server.database(&format!("due_{count}"))).await;
        let file = filled(Arc::new(file.expect("a store")), count).await;
        let database = filled(Arc::new(database.expect("a store")), count).await;
        stores.push((file, database));
    }
    let [(few_in_file, few), (many_in_file, many)] = &stores[..] else {
        return;
    };
    print("SQLite", few_in_file, many_in_file).await;
    print("PostgreSQL", few, many).await;
}

async fn print(what: &str, few: &Sessions, many: &Sessions) {
    let mut turns = Vec::new();
    for _ in 0..44 {
        turns.push([found(few).await, found(many).await]);
    }
    let [few, many] = rates(&turns[4..], 1).map(|rate| 1000.0 / rate);
    let ratio = many / few;
    println!("{what:<32} {few:>14.2} {many:>14.2} {ratio:>6.2}");
}

/// Returns how long it takes to find the sessions that are due.
async fn found(sessions: &Sessions) -> Duration {
    let began = Instant::now();
    let due = sessions.due(at(NOW), DUE).await.expect("a list");
    let took = began.elapsed();
    assert_eq!(due.len(), DUE as usize);
    took
}

/// Starts the timers of many sessions.
async fn filled(store: Arc<dyn Store>, count: u32) -> Sessions {
    let sessions = Sessions::new(store, machines());
    for first in (0..count).step_by(500) {
        let working = (first..count.min(first + 500)).map(|number| {
            let session = sessions.session(&identity(number));
            let start = if number < DUE { 0 } else { LATER };
            let around = EventContext::at(at(start)).by("bench");
            tokio::spawn(async move { session.command("/begin", &around).await.expect("begun") })
        });
        for work in working.collect::<Vec<_>>() {
            work.await.expect("no panic");
        }
        sessions.forget_idle(Duration::ZERO);
    }
    sessions
}
