//! Many clients and many sessions. The ordinary tests use few of them. Under full load, the same tests take minutes and
//! need an optimized build, so only `scripts/soak` runs these, and prints their figures for a person to read.

use std::time::{Duration, Instant, SystemTime};

use plan_machine_kernel::json::Json;

use crate::bench::{Bench, ready_plan, typed};
use crate::client::{Events, at};

/// How many clients follow how many events.
struct Load {
    clients: usize,
    events: u64,
    /// How many events there are in a second; `None` for as many as possible.
    per_second: Option<u32>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_clients_get_two_hundred_events_and_lose_none() {
    follow(&Load {
        clients: 100,
        events: 200,
        per_second: None,
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
    };
    let slowest = follow(&load).await;
    println!("1,000 clients, 200 events a second, 60 s: the slowest event took {slowest:?}");
}

/// Lets clients follow the events of a session, and returns how long the slowest event took. Fails if a client misses
/// an event.
async fn follow(load: &Load) -> Duration {
    let bench = Bench::new().await;
    let mut clients = Vec::new();
    for _ in 0..load.clients {
        let mut events = bench.events("/api/events", "").await;
        events.named("hello").await;
        clients.push(tokio::spawn(read_all(events, load.events)));
    }
    let session = bench.session("codex:first-talk");
    let pace = load.per_second.map(|rate| Duration::from_secs(1) / rate);
    let mut ticks = pace.map(tokio::time::interval);
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
    let mut slowest = Duration::ZERO;
    for client in clients {
        slowest = slowest.max(client.await.expect("a client that lost nothing"));
    }
    bench.stop().await;
    slowest
}

/// Reads this number of events, which must be in order, and returns how long the slowest one took.
async fn read_all(mut events: Events, many: u64) -> Duration {
    let mut slowest = Duration::ZERO;
    for seq in 1..=many {
        let event = events.named("entry").await;
        assert_eq!(at(&event.data, "seq").as_int(), i64::try_from(seq).ok());
        let sent = at(&event.data, "at");
        let sent: plan_machine::Instant = sent.as_text().expect("a time").parse().expect("a time");
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.unwrap_or_default();
        slowest = slowest.max(now.saturating_sub(sent.since_1970()));
    }
    slowest
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_inbox_of_two_thousand_sessions_lists_those_that_wait() {
    list(2000).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute: `scripts/soak` runs it"]
async fn the_inbox_of_a_hundred_thousand_sessions_is_one_lookup() {
    let slowest = list(100_000).await;
    println!("100,000 sessions, 1,000 plans wait: the slowest of 100 lists took {slowest:?}");
}

/// Lists the inbox a hundred times, and returns how long the slowest list took. A plan waits in every hundredth
/// session.
async fn list(sessions: u32) -> Duration {
    let bench = Bench::new().await;
    for number in 0..sessions {
        let session = bench.session(&format!("codex:talk-{number:08}"));
        if number % 100 == 0 {
            ready_plan(&session, "make").await;
        } else {
            typed(&session, "/plan on").await;
        }
    }
    let waiting = Json::Int(i64::from(sessions / 100));
    while bench.get("/api/inbox?limit=1").await.at("total") != waiting {
        tokio::task::yield_now().await;
    }
    let mut slowest = Duration::ZERO;
    for _ in 0..100 {
        let start = Instant::now();
        let inbox = bench.get("/api/inbox").await.expect(200);
        slowest = slowest.max(start.elapsed());
        assert_eq!(inbox.at("total"), waiting);
    }
    bench.stop().await;
    slowest
}
