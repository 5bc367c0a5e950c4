//! Many clients and many sessions. The ordinary tests use few of them. Under full load, the same tests take minutes and
//! need an optimized build, so only `scripts/soak` runs these, and prints their figures for a person to read.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use plan_machine_kernel::json::Json;
use plan_machine_server::{Bucket, Limits};
use plan_machine_sessions::store;
use tempfile::TempDir;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::bench::{Bench, Setup, ready_plan, typed};
use crate::client::{Events, LIMIT, at};

/// The most memory that the process may have used under full load, in MiB. Server and clients are one process.
const MOST_MEMORY: u64 = 256;

/// How long storing the events may take under full load, as a multiple of the time in which they become due.
const SLACK: f64 = 1.5;

/// How many clients follow how many events.
struct Load {
    clients: usize,
    events: u64,
    /// How many events there are in a second; `None` for as many as possible.
    per_second: Option<u32>,
    /// The number of events after which an additional, slow client reads one; `None` if there is no such client.
    slow: Option<u64>,
}

/// The measured values.
struct Figures {
    /// How long the slowest event took to reach the last client.
    slowest: Duration,
    /// How long it took to store all events.
    stored: Duration,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_clients_get_two_hundred_events_and_lose_none() {
    follow(&Load {
        clients: 100,
        events: 200,
        per_second: None,
        slow: None,
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: `scripts/soak` runs it"]
async fn a_thousand_clients_get_two_hundred_events_a_second_and_lose_none() {
    let load = Load {
        clients: 1000,
        events: 12_000,
        per_second: Some(200),
        slow: Some(5),
    };
    let Figures { slowest, stored } = follow(&load).await;
    let due = Duration::from_secs(60);
    let memory = most_memory();
    println!(
        "1,000 clients, 12,000 events in {stored:.1?}: the slowest event took {slowest:.0?}, \
         server and clients used at most {memory} MiB, and the slow client was dropped with a reason"
    );
    assert!(memory < MOST_MEMORY, "{memory} MiB were used");
    let most = due.mul_f64(SLACK);
    assert!(stored < most, "the server did not keep up: {stored:.1?}");
}

/// Opens a server over a file, without a limit on the rate of requests: on a fast computer, the requests that wait for
/// the inbox would otherwise exceed the limit.
async fn on_disk() -> (Bench, TempDir) {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("plans.db");
    let store = store::open(&format!("sqlite:{}", path.display())).await;
    let store = store.expect("a store");
    let limits = Limits {
        requests: Bucket {
            burst: 1e9,
            per_second: 1e9,
        },
        ..Limits::default()
    };
    let bench = Bench::with(Setup {
        store,
        limits,
        ..Setup::default()
    });
    (bench.await, place)
}

/// Lets clients follow the events of a session. Fails if a client misses an event, or if a slow client is not dropped
/// with a reason.
async fn follow(load: &Load) -> Figures {
    let (bench, _place) = on_disk().await;
    let mut clients = JoinSet::new();
    for _ in 1..load.clients {
        let mut events = bench.events("/api/events", "").await;
        events.named("hello").await;
        clients.spawn(read_all(events, load.events));
    }
    let pace = Arc::new(Semaphore::new(0));
    let mut first = bench.events("/api/events", "").await;
    first.named("hello").await;
    clients.spawn(read_first(first, load.events, load.slow, Arc::clone(&pace)));
    let mut slow = JoinSet::new();
    if load.slow.is_some() {
        let events = bench.events_with_small_buffer().await;
        slow.spawn(read_slowly(events, pace, load.events));
    }
    let began = Instant::now();
    store_events(&bench, load).await;
    let stored = began.elapsed();
    let slowest = clients.join_all().await.into_iter().max();
    for reason in slow.join_all().await {
        assert_eq!(reason, Json::from("the client was too slow"));
    }
    bench.stop().await;
    Figures {
        slowest: slowest.expect("a client"),
        stored,
    }
}

/// Stores the events.
async fn store_events(bench: &Bench, load: &Load) {
    let session = bench.session("codex:first-talk");
    let every = load.per_second.map(|rate| Duration::from_secs(1) / rate);
    let mut ticks = every.map(tokio::time::interval);
    for number in 0..load.events {
        if let Some(ticks) = &mut ticks {
            ticks.tick().await;
        }
        let line = match number {
            0 => "/plan on",
            odd if odd % 2 == 1 => "/plan stop-on-failure on",
            _ => "/plan stop-on-failure off",
        };
        typed(&session, line).await;
    }
}

/// Reads this number of events, which must be in order, and returns how long the slowest one took.
async fn read_all(mut events: Events, many: u64) -> Duration {
    let mut slowest = Duration::ZERO;
    for seq in 1..=many {
        slowest = slowest.max(read_one(&mut events, seq).await);
    }
    slowest
}

/// Reads this number of events like the other clients, and lets the slow client read one event after every few of them.
/// At the end, the slow client may read everything.
async fn read_first(
    mut events: Events,
    many: u64,
    every: Option<u64>,
    pace: Arc<Semaphore>,
) -> Duration {
    let mut slowest = Duration::ZERO;
    for seq in 1..=many {
        slowest = slowest.max(read_one(&mut events, seq).await);
        if every.is_some_and(|every| seq.is_multiple_of(every)) {
            pace.add_permits(1);
        }
    }
    pace.close();
    slowest
}

/// Reads the entry with this number, and returns how long ago it was made.
async fn read_one(events: &mut Events, seq: u64) -> Duration {
    let event = events.named("entry").await;
    assert_eq!(at(&event.data, "seq").as_int(), i64::try_from(seq).ok());
    let made = at(&event.data, "at");
    let made: plan_machine::Instant = made.as_text().expect("a time").parse().expect("a time");
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or_default().saturating_sub(made.since_1970())
}

/// Reads an event whenever the pace allows it, and returns why the server has ended the stream.
/// Fails if the stream gets to the last event.
async fn read_slowly(mut events: Events, pace: Arc<Semaphore>, last: u64) -> Json {
    loop {
        // A closed semaphore no longer limits the pace.
        if let Ok(permit) = pace.acquire().await {
            permit.forget();
        }
        let event = events.next().await.expect("a reason before the end");
        if event.name == "dropped" {
            return at(&event.data, "reason");
        }
        let seq = at(&event.data, "seq").as_int();
        assert_ne!(seq, i64::try_from(last).ok(), "the client was not dropped");
    }
}

/// Returns the most memory that this process has used, in MiB.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("the status of the process");
    let mut lines = status.lines();
    let most = lines.find_map(|line| line.strip_prefix("VmHWM:"));
    let most = most.and_then(|most| most.trim().strip_suffix(" kB"));
    let most: u64 = most.expect("a line").parse().expect("a number");
    most >> 10
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_inbox_of_two_thousand_sessions_lists_those_that_wait() {
    list(2000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: `scripts/soak` runs it"]
async fn the_inbox_of_a_hundred_thousand_sessions_is_one_lookup() {
    let mut took = list(100_000).await;
    took.sort_unstable();
    let [median, slowest] = [50, 99].map(|at| took[at].as_secs_f64() * 1000.0);
    println!(
        "100,000 sessions in SQLite, 1,000 plans wait: half of 100 lists took at most {median:.1} ms, \
         and the slowest took {slowest:.1} ms"
    );
}

/// Lists the inbox a hundred times, and returns how long each list took. A plan waits in every hundredth session.
async fn list(sessions: u32) -> Vec<Duration> {
    let (bench, _place) = on_disk().await;
    let mut filling = JoinSet::new();
    for number in 0..sessions {
        let session = bench.session(&format!("codex:talk-{number:08}"));
        filling.spawn(async move {
            if number % 100 == 0 {
                ready_plan(&session, "make").await;
            } else {
                typed(&session, "/plan on").await;
            }
        });
    }
    filling.join_all().await;
    let waiting = Json::Int(i64::from(sessions / 100));
    let listed = async {
        while bench.get("/api/inbox?limit=1").await.at("total") != waiting {
            tokio::task::yield_now().await;
        }
    };
    // Under full load, the index may need more time than one answer does.
    let listed = timeout(LIMIT * 5, listed).await;
    listed.expect("the plans in time");
    let mut took = Vec::new();
    for _ in 0..100 {
        let start = Instant::now();
        let inbox = bench.get("/api/inbox").await.expect(200);
        took.push(start.elapsed());
        assert_eq!(inbox.at("total"), waiting);
    }
    bench.stop().await;
    took
}
