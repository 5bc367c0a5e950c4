//! Load tests, which print figures for a person to read. They take a minute and depend on the computer, so they run
//! only on request: `cargo test --release -p plan-machine-server --test http -- --ignored --nocapture`.

use std::time::{Duration, Instant};

use plan_machine_kernel::json::Json;

use crate::bench::{Bench, ready_plan, typed};
use crate::client::at;

/// The number of clients, the number of events per second, and the number of seconds.
const CLIENTS: usize = 1000;
const RATE: u64 = 200;
const SECONDS: u64 = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute"]
async fn a_thousand_clients_get_two_hundred_events_a_second_and_lose_none() {
    let bench = Bench::new().await;
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let mut events = bench.events("/api/events", "").await;
        events.named("hello").await;
        clients.push(tokio::spawn(async move {
            let mut slowest = Duration::ZERO;
            for seq in 1..=RATE * SECONDS {
                let event = events.named("entry").await;
                assert_eq!(at(&event.data, "seq").as_int(), i64::try_from(seq).ok());
                let sent = at(&event.data, "at");
                let sent: plan_machine::Instant =
                    sent.as_text().expect("a time").parse().expect("a time");
                let now = std::time::SystemTime::now()
                    .duration_since(std::time::UNIX_EPOCH)
                    .unwrap_or_default();
                slowest = slowest.max(now.saturating_sub(sent.since_1970()));
            }
            slowest
        }));
    }
    let session = bench.session("codex:first-talk");
    let mut ticks =
        tokio::time::interval(Duration::from_secs(1) / u32::try_from(RATE).unwrap_or(1));
    for number in 0..RATE * SECONDS {
        ticks.tick().await;
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
    println!(
        "{CLIENTS} clients, {RATE} events a second, {SECONDS} s: the slowest event took {slowest:?}"
    );
    bench.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute"]
async fn the_inbox_of_a_hundred_thousand_sessions_is_one_lookup() {
    let bench = Bench::new().await;
    for number in 0..100_000 {
        let session = bench.session(&format!("codex:talk-{number:08}"));
        if number % 100 == 0 {
            ready_plan(&session, "make").await;
        } else {
            typed(&session, "/plan on").await;
        }
    }
    while bench.get("/api/inbox?limit=1").await.at("total") != Json::Int(1000) {
        tokio::task::yield_now().await;
    }
    let mut slowest = Duration::ZERO;
    for _ in 0..100 {
        let start = Instant::now();
        bench.get("/api/inbox").await.expect(200);
        slowest = slowest.max(start.elapsed());
    }
    println!("100,000 sessions, 1,000 plans wait: the slowest of 100 lists took {slowest:?}");
    bench.stop().await;
}
