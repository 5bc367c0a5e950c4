//! Live events.

use std::time::{Duration, SystemTime};

use plan_machine::gate::{EventContext, ToolCall};
use plan_machine::{Instant, Object};
use plan_machine_kernel::json::Json;

use crate::bench::{Bench, HOST, Setup, ready_plan, typed};
use crate::client::{Events, at, page_headers};
use crate::flood::{CALLS, Flood};

#[tokio::test]
async fn every_entry_is_delivered_once_with_its_session_and_number() {
    let bench = Bench::new().await;
    let mut events = bench.events("/api/events", "").await;
    assert!(
        events.head.contains("content-type: text/event-stream"),
        "{}",
        events.head
    );
    events.named("hello").await;
    ready_plan(&bench.session("codex:first-talk"), "make").await;
    typed(&bench.session("codex:second-talk"), "/plan on").await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        let event = events.named("entry").await;
        seen.push((at(&event.data, "sessionId"), at(&event.data, "seq")));
    }
    let expected = [
        ("codex:first-talk", 1),
        ("codex:first-talk", 2),
        ("codex:first-talk", 3),
        ("codex:second-talk", 1),
    ];
    let expected = expected.map(|(session, seq)| (Json::from(session), Json::Int(seq)));
    assert_eq!(seen, expected);
    bench.stop().await;
}

#[tokio::test]
async fn a_stream_goes_on_after_the_last_event_that_a_client_has_seen() {
    let bench = Bench::new().await;
    let session = bench.session("codex:first-talk");
    ready_plan(&session, "make").await;
    let mut all = bench.events("/api/events?after=0.0", "").await;
    let first = all.named("entry").await;
    let id = first.id.expect("an id");
    drop(all);
    // The header of a browser that reconnects takes precedence over its URL.
    let header = format!("Last-Event-ID: {id}\r\n");
    let mut again = bench.events("/api/events?after=0.0", &header).await;
    let second = again.named("entry").await;
    assert_eq!(at(&second.data, "seq"), Json::Int(2));
    again.named("entry").await;
    typed(&session, "/plan cancel").await;
    let live = again.named("entry").await;
    assert_eq!(at(&live.data, "seq"), Json::Int(4));
    let mut one = bench
        .events("/api/sessions/codex:first-talk/events?after=2", "")
        .await;
    let ids = [one.named("entry").await.id, one.named("entry").await.id];
    assert_eq!(ids, [Some("3".to_owned()), Some("4".to_owned())]);
    bench.stop().await;
}

#[tokio::test]
async fn a_stream_says_what_waits_and_why_a_call_was_denied() {
    let bench = Bench::new().await;
    let mut events = bench
        .events("/api/sessions/codex:first-talk/events", "")
        .await;
    events.named("hello").await;
    ready_plan(&bench.session("codex:first-talk"), "make").await;
    let waiting = loop {
        let event = events.named("entry").await;
        if at(&event.data, "waiting.0.token") != Json::Null {
            break event;
        }
    };
    assert_eq!(at(&waiting.data, "waiting.0.state"), Json::from("READY"));
    let call = r#"{"calls":[{"name":"shell","args":{"cmd":"rm x"}}]}"#;
    bench
        .post_as(HOST, "/api/sessions/codex:first-talk/decide", call)
        .await
        .expect(200);
    let denied = events.named("denied").await;
    assert_eq!(at(&denied.data, "tool"), Json::from("shell"));
    assert_eq!(at(&denied.data, "actor"), Json::from("bot"));
    bench.stop().await;
}

#[tokio::test]
async fn a_server_that_stops_ends_its_streams_with_a_reason() {
    let bench = Bench::new().await;
    let mut events = bench.events("/api/events", "").await;
    events.named("hello").await;
    bench.begin_stop();
    let dropped = events.named("dropped").await;
    assert_eq!(at(&dropped.data, "reason"), Json::from("the server stops"));
    assert_eq!(events.next().await, None);
    bench.stop().await;
}

#[tokio::test]
async fn a_client_that_does_not_read_makes_others_lose_nothing() {
    let bench = Bench::new().await;
    let slow = bench.events("/api/events", "").await;
    let mut quick = bench.events("/api/events", "").await;
    quick.named("hello").await;
    let session = bench.session("codex:first-talk");
    typed(&session, "/plan on").await;
    for number in 0..200_u64 {
        let setting = if number % 2 == 0 { "on" } else { "off" };
        typed(&session, &format!("/plan stop-on-failure {setting}")).await;
    }
    for seq in 1..=201 {
        let event = quick.named("entry").await;
        assert_eq!(at(&event.data, "seq"), Json::Int(seq));
    }
    drop(slow);
    bench.stop().await;
}

/// The number of requests after which a client that reads nothing has missed more events than the server keeps.
const FLOOD: usize = 48;

/// Reads all events of the flood.
async fn read_flood(mut events: Events) {
    for _ in 0..FLOOD * CALLS {
        events.named("denied").await;
    }
}

#[tokio::test]
async fn a_slow_client_gets_the_reason_why_it_was_dropped_and_others_get_every_event() {
    let bench = Bench::new().await;
    let flood = Flood::new(&bench).await;
    let mut slow = bench.events("/api/events", "").await;
    slow.named("hello").await;
    let quick = bench.events("/api/events", "").await;
    let quick = tokio::spawn(read_flood(quick));
    flood.send(FLOOD).await;
    quick.await.expect("a client that lost nothing");
    let dropped = slow.named("dropped").await;
    let reason = at(&dropped.data, "reason");
    assert_eq!(reason, Json::from("the client was too slow"));
    assert_eq!(slow.next().await, None);
    bench.stop().await;
}

#[tokio::test]
async fn the_number_of_streams_is_limited() {
    let mut setup = Setup::default();
    setup.limits.streams = 1;
    let bench = Bench::with(setup).await;
    let mut first = bench.events("/api/events", "").await;
    first.named("hello").await;
    let second = bench.get("/api/events").await.expect(429);
    assert!(second.header("retry-after").is_some());
    bench.get("/api/events?after=x").await.expect(400);
    bench.stop().await;
}

/// The plan was shown nine hours ago, and can be approved for eight hours.
#[tokio::test]
async fn a_timer_that_is_due_fires_although_nobody_sends_a_request() {
    let nine_hours = Duration::from_secs(9 * 60 * 60);
    let at_that_time = Instant::try_from(SystemTime::now() - nine_hours).expect("a time");
    let around = EventContext::at(at_that_time).by("ann");
    let bench = Bench::new().await;
    let mut events = bench.events("/api/events", "").await;
    events.named("hello").await;
    let session = bench.session("codex:first-talk");
    let on = session.command("/plan on", &around).await;
    on.expect("plan mode");
    let calls = [
        ToolCall::new("shell", Object::new()),
        ToolCall::new("plan_finalize", Object::new()),
    ];
    session.decide(&calls, &around).await.expect("a plan");
    let mut states = Vec::new();
    for _ in 0..4 {
        let event = events.named("entry").await;
        states.push((at(&event.data, "by"), at(&event.data, "states.0.state")));
    }
    let expected = [
        ("person", "COLLECTING"),
        ("model", "COLLECTING"),
        ("model", "READY"),
        ("timer", "EXPIRED"),
    ];
    let expected = expected.map(|(by, state)| (Json::from(by), Json::from(state)));
    assert_eq!(states, expected);
    bench.waiting(0).await;
    bench.stop().await;
}

/// The store may have been replaced while a page was open.
#[tokio::test]
async fn a_stream_that_resumes_after_a_place_of_another_store_continues_here() {
    let bench = Bench::new().await;
    for (path, session) in [
        ("/api/events?after=0.999999", "codex:first-talk"),
        (
            "/api/sessions/codex:second-talk/events?after=999999",
            "codex:second-talk",
        ),
    ] {
        let mut events = bench.events(path, "").await;
        events.named("hello").await;
        ready_plan(&bench.session(session), "make").await;
        events.named("entry").await;
    }
    bench.stop().await;
}

#[tokio::test]
async fn a_server_that_was_restarted_serves_the_same_page_and_cookie() {
    let store: std::sync::Arc<dyn plan_machine_sessions::store::Store> =
        std::sync::Arc::new(plan_machine_sessions::store::Memory::new());
    let setup = |port| Setup {
        store: std::sync::Arc::clone(&store),
        port,
        ..Setup::default()
    };
    let bench = Bench::with(setup(0)).await;
    let port = bench.address.port();
    let key = bench
        .link
        .split_once("/open?")
        .expect("a link")
        .1
        .to_owned();
    let opened = bench
        .raw("GET", &format!("/open?{key}"), "", None)
        .await
        .expect(200);
    let cookie = page_headers(&opened);
    ready_plan(&bench.session("codex:first-talk"), "make").await;
    let mut events = bench.events("/api/events?after=0.0", "").await;
    let seen = events.named("entry").await.id.expect("an id");
    bench.stop().await;
    let bench = Bench::with(setup(port)).await;
    let inbox = bench
        .raw("GET", "/api/inbox", &cookie, None)
        .await
        .expect(200);
    assert_eq!(inbox.at("total"), Json::Int(1));
    let header = format!("Last-Event-ID: {seen}\r\n");
    let mut events = bench.events("/api/events", &header).await;
    let numbers = [events.named("entry").await, events.named("entry").await];
    let numbers = numbers.map(|event| at(&event.data, "seq"));
    assert_eq!(numbers, [Json::Int(2), Json::Int(3)]);
    bench.stop().await;
}
